// What the build does beyond bundling: the compressed forms that the server hands out, the preload of the type, and
// the scales. A first page over its weight fails the build, so that it is noticed on the day it happens.

import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import type { Plugin } from 'vite';

/** Bytes of JavaScript of the first page, brotli. */
const SCRIPT_LIMIT = 35 * 1024;
/** Bytes of all fonts; they are compressed already. */
const FONT_LIMIT = 60 * 1024;

const COMPRESSIBLE = new Set(['.html', '.js', '.css', '.svg', '.json', '.txt', '.xml', '.webmanifest', '.wasm', '.map']);

function brotli(content: Buffer): Buffer {
  return brotliCompressSync(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Puts a preload of every font into the page: the text is seen in its own type from the start. */
export function preloadFonts(): Plugin {
  return {
    name: 'preload-fonts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, context) =>
        Object.keys(context.bundle ?? {})
          .filter((name) => name.endsWith('.woff2'))
          .map((name) => ({
            tag: 'link',
            attrs: { rel: 'preload', href: `/${name}`, as: 'font', type: 'font/woff2', crossorigin: true },
            injectTo: 'head-prepend' as const,
          })),
    },
  };
}

/** Writes `.br` and `.gz` beside each compressible file, prints the weight of the first page and holds it to its limit. */
export function compressAndWeigh(): Plugin {
  let folder = 'dist';
  return {
    name: 'compress-and-weigh',
    apply: 'build',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    closeBundle: {
      order: 'post',
      sequential: true,
      handler() {
        const weights = new Map<string, number>();
        for (const path of filesBelow(folder)) {
          if (!COMPRESSIBLE.has(extname(path))) continue;
          const content = readFileSync(path);
          const small = brotli(content);
          weights.set(relative(folder, path), small.length);
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(`${path}.br`, small);
          writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
        }
        const page = readFileSync(join(folder, 'index.html'), 'utf8');
        const named = (ending: string) =>
          [...page.matchAll(new RegExp(`(?:src|href)="/([^"]+\\.${ending})"`, 'g'))].map((match) => match[1] ?? '');
        const sum = (names: string[]) => [...new Set(names)].reduce((total, name) => total + (weights.get(name) ?? 0), 0);
        const script = sum(named('js'));
        const style = sum(named('css'));
        const fonts = filesBelow(folder)
          .filter((path) => path.endsWith('.woff2'))
          .reduce((total, path) => total + statSync(path).size, 0);
        const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
        console.log(
          `first page: script ${kilobytes(script)} of ${kilobytes(SCRIPT_LIMIT)} (brotli), style ${kilobytes(style)}, ` +
            `page ${kilobytes(weights.get('index.html') ?? 0)}, fonts ${kilobytes(fonts)} of ${kilobytes(FONT_LIMIT)}`,
        );
        if (script > SCRIPT_LIMIT) throw new Error(`the script of the first page is over its limit: ${script} bytes`);
        if (fonts > FONT_LIMIT) throw new Error(`the fonts are over their limit: ${fonts} bytes`);
      },
    },
  };
}
