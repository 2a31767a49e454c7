// What reads the words in a picture runs in the person's own browser and is served by us: the program of tesseract.js,
// its WebAssembly core, and what it knows of Italian and English. The folder's name holds the versions, so that every
// browser may keep it for ever.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

import type { Plugin } from 'vite';

const require = createRequire(import.meta.url);

function packageOf(name: string): { folder: string; version: string } {
  const path = require.resolve(`${name}/package.json`);
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
  return { folder: dirname(path), version };
}

const program = packageOf('tesseract.js');
const core = packageOf('tesseract.js-core');
const italian = packageOf('@tesseract.js-data/ita');
const english = packageOf('@tesseract.js-data/eng');

/** Where the parts lie, below the root of the site. */
export const READER_FOLDER = `/assets/reader-${program.version}-${core.version}-${italian.version}-${english.version}`;

const PARTS = [
  join(program.folder, 'dist/worker.min.js'),
  join(program.folder, 'dist/worker.min.js.LICENSE.txt'),
  join(core.folder, 'LICENSE'),
  join(core.folder, 'tesseract-core-simd-lstm.js'),
  join(core.folder, 'tesseract-core-simd-lstm.wasm'),
  // The models with whole numbers: a third of the size, as good on a screenshot.
  join(italian.folder, '4.0.0_best_int/ita.traineddata.gz'),
  join(english.folder, '4.0.0_best_int/eng.traineddata.gz'),
];

export function servePictureReader(): Plugin {
  return {
    name: 'serve-picture-reader',
    config: () => ({ define: { __READER_FOLDER__: JSON.stringify(READER_FOLDER) } }),
    generateBundle() {
      for (const path of PARTS) {
        this.emitFile({ type: 'asset', fileName: `${READER_FOLDER.slice(1)}/${basename(path)}`, source: readFileSync(path) });
      }
    },
    configureServer(server) {
      server.middlewares.use(READER_FOLDER, (request, response, next) => {
        const part = PARTS.find((path) => request.url === `/${basename(path)}`);
        if (!part) return next();
        const type = { js: 'text/javascript', wasm: 'application/wasm', gz: 'application/gzip' }[part.split('.').pop() ?? ''];
        response.setHeader('content-type', type ?? 'application/octet-stream');
        response.end(readFileSync(part));
      });
    },
  };
}
