// The words in a picture of the screen, read in the browser: the handbook knows an error by its words, and the picture
// itself stays a picture to it. Reading is a help and never a condition: when it fails or takes too long, one asks
// without it.

/** Set by the build: where the parts of the reader lie. */
declare const __READER_FOLDER__: string;

/** Milliseconds, the download of the first time included. */
export const READING_TAKES_AT_MOST = 20_000;
/** Characters; the server takes no more. */
export const LONGEST_READING = 8_000;
/** Pixels of the longer side: more makes it slow, less loses small print. */
const LONGEST_SIDE = 2_000;
const SHORTEST_SIDE = 1_000;

export interface Reader {
  read: (picture: Blob) => Promise<string>;
  stop: () => void;
}

async function openReader(): Promise<Reader> {
  const { createWorker, OEM } = await import('tesseract.js');
  // The promise of `createWorker` stays open for ever when a language cannot be fetched, and without a handler what went
  // wrong is thrown at the window.
  let fail: (reason: unknown) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  // A reading that fails later tells it through its own promise.
  failed.catch(() => {});
  const opened = createWorker(['ita', 'eng'], OEM.LSTM_ONLY, {
    workerPath: `${__READER_FOLDER__}/worker.min.js`,
    corePath: `${__READER_FOLDER__}/tesseract-core-simd-lstm.js`,
    langPath: __READER_FOLDER__,
    // Our policy knows no scripts from memory, and the browser keeps the files by itself.
    workerBlobURL: false,
    cacheMethod: 'none',
    errorHandler: fail,
  });
  const worker = await Promise.race([opened, failed]);
  return {
    read: async (picture) => (await worker.recognize(picture)).data.text,
    stop: () => void worker.terminate(),
  };
}

/** Dark letters on white paper, of a good size: what the reader has learnt from. */
async function prepared(file: Blob): Promise<Blob> {
  const picture = await createImageBitmap(file);
  const longer = Math.max(picture.width, picture.height);
  const scale = longer > LONGEST_SIDE ? LONGEST_SIDE / longer : longer < SHORTEST_SIDE ? 2 : 1;
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return file;
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  const pixels = context.getImageData(0, 0, canvas.width, canvas.height);
  toInkOnPaper(pixels.data);
  context.putImageData(pixels, 0, 0);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? file), 'image/png'));
}

/** Turns colours into greys, and light letters on a dark ground (a blue screen) into dark ones on a light ground. */
export function toInkOnPaper(pixels: Uint8ClampedArray) {
  let sum = 0;
  for (let at = 0; at < pixels.length; at += 4) {
    // The weights of ITU-R BT.601.
    const grey = 0.299 * (pixels[at] ?? 0) + 0.587 * (pixels[at + 1] ?? 0) + 0.114 * (pixels[at + 2] ?? 0);
    pixels[at] = pixels[at + 1] = pixels[at + 2] = grey;
    sum += grey;
  }
  if (sum / (pixels.length / 4) >= 128) return;
  for (let at = 0; at < pixels.length; at += 4) {
    pixels[at] = pixels[at + 1] = pixels[at + 2] = 255 - (pixels[at] ?? 0);
  }
}

/** What was read, fit to be sent: without runs of blanks and of empty lines, and no longer than is taken. */
export function tidied(text: string): string | undefined {
  const lines = text.split('\n').map((line) => line.replace(/\s+/g, ' ').trim());
  const joined = lines.filter(Boolean).join('\n');
  return [...joined].slice(0, LONGEST_READING).join('') || undefined;
}

interface Reading {
  /** Ends the reading when nobody waits for it any more. */
  signal?: AbortSignal;
  open?: () => Promise<Reader>;
  prepare?: (file: Blob) => Promise<Blob>;
}

/** The words in a picture; undefined when there are none, or they could not be read in time. */
export async function readPicture(
  file: Blob,
  { signal, open = openReader, prepare = prepared }: Reading = {},
): Promise<string | undefined> {
  let over = signal?.aborted ?? false;
  let reader: Reader | undefined;
  let giveUp: () => void = () => {};
  const reading = async () => {
    // What is no picture needs no reader.
    const picture = await prepare(file);
    if (over) return undefined;
    const opened = await open();
    reader = opened;
    // It came too late: it is only to be put away.
    if (over) return undefined;
    return tidied(await opened.read(picture));
  };
  const givenUp = new Promise<undefined>((resolve) => {
    giveUp = () => {
      over = true;
      resolve(undefined);
    };
  });
  const timer = setTimeout(giveUp, READING_TAKES_AT_MOST);
  signal?.addEventListener('abort', giveUp);
  const read = reading().catch(() => undefined);
  void read.finally(() => reader?.stop());
  const words = await Promise.race([read, givenUp]);
  clearTimeout(timer);
  signal?.removeEventListener('abort', giveUp);
  // A reading that goes on is stopped; what it throws then is nobody's concern.
  if (over) reader?.stop();
  return words;
}
