import { afterEach, describe, expect, it, vi } from 'vitest';

import { LONGEST_READING, READING_TAKES_AT_MOST, readPicture, tidied, toInkOnPaper } from './read-picture';

const picture = new Blob(['x']);
const prepare = (file: Blob) => Promise.resolve(file);

describe('reading a picture', () => {
  afterEach(() => vi.useRealTimers());

  it('gives the words and puts the reader away', async () => {
    const stop = vi.fn();
    const open = () => Promise.resolve({ read: () => Promise.resolve('  STOP  CODE \n\n 0x7B '), stop });
    expect(await readPicture(picture, { open, prepare })).toBe('STOP CODE\n0x7B');
    expect(stop).toHaveBeenCalled();
  });

  it('gives nothing when the reader cannot be had, or fails', async () => {
    expect(await readPicture(picture, { open: () => Promise.reject(new Error('offline')), prepare })).toBeUndefined();
    const stop = vi.fn();
    const open = () => Promise.resolve({ read: () => Promise.reject(new Error('broken')), stop });
    expect(await readPicture(picture, { open, prepare })).toBeUndefined();
    expect(stop).toHaveBeenCalled();
  });

  it('gives up when it takes too long, and stops', async () => {
    vi.useFakeTimers();
    const stop = vi.fn();
    const open = () => Promise.resolve({ read: () => new Promise<string>(() => {}), stop });
    const words = readPicture(picture, { open, prepare });
    await vi.advanceTimersByTimeAsync(READING_TAKES_AT_MOST);
    expect(await words).toBeUndefined();
    expect(stop).toHaveBeenCalled();
  });

  it('stops when nobody waits for it any more', async () => {
    const stop = vi.fn();
    const left = new AbortController();
    const open = () => Promise.resolve({ read: () => new Promise<string>(() => left.abort()), stop });
    expect(await readPicture(picture, { open, prepare, signal: left.signal })).toBeUndefined();
    expect(stop).toHaveBeenCalled();

    const unopened = vi.fn(open);
    expect(await readPicture(picture, { open: unopened, prepare, signal: left.signal })).toBeUndefined();
    expect(unopened).not.toHaveBeenCalled();
  });
});

describe('what was read', () => {
  it('is tidied and cut to what the server takes', () => {
    expect(tidied(' \n \n')).toBeUndefined();
    expect(tidied('è'.repeat(LONGEST_READING + 5))).toHaveLength(LONGEST_READING);
  });
});

describe('ink on paper', () => {
  it('makes a blue screen white with dark letters, and leaves a white page white', () => {
    const blue = new Uint8ClampedArray([0, 0, 170, 255, 0, 0, 170, 255, 255, 255, 255, 255]);
    toInkOnPaper(blue);
    expect(blue[0]).toBeGreaterThan(200);
    expect(blue[8]).toBe(0);
    const white = new Uint8ClampedArray([255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 255]);
    toInkOnPaper(white);
    expect([white[0], white[8]]).toEqual([255, 0]);
  });
});
