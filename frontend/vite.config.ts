import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vitest/config';

import { compressAndWeigh, preloadFonts } from './build/assets.ts';
import { servePictureReader } from './build/reader.ts';

const fromPackages = (name: string) => fileURLToPath(new URL(`./node_modules/${name}`, import.meta.url));
const preact = (name: string) => fromPackages(`preact/${name}`);

export default defineConfig(({ command }) => ({
  resolve: {
    // Written for React, built with Preact: the first page weighs a third.
    alias: [
      { find: /^react\/jsx-(dev-)?runtime$/, replacement: preact('jsx-runtime/dist/jsxRuntime.mjs') },
      { find: /^react-dom\/client$/, replacement: preact('compat/client.mjs') },
      // `react-router-dom` only hands on `react-router`, whose package names neither its build for production nor,
      // to a test runner in Node, its modules.
      { find: /^react-router-dom$/, replacement: fromPackages(`react-router/dist/${command === 'build' ? 'production' : 'development'}/index.mjs`) },
      { find: /^react(-dom)?$/, replacement: preact('compat/dist/compat.mjs') },
    ],
    dedupe: ['preact'],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [preloadFonts(), servePictureReader(), compressAndWeigh()],
  build: {
    target: ['chrome111', 'firefox115', 'safari16.4'],
    // The content security policy knows no `data:` for fonts and scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The router asks for a hook of React's that Preact has not, and does without; `tsc` checks our own imports.
    rolldownOptions: { checks: { importIsUndefined: false } },
  },
  server: {
    // The demonstration sends browsers back to this port after the sign-in.
    port: 5173,
    strictPort: true,
    // A test reads the server's description, which lies beside this folder.
    fs: { allow: ['..'] },
    proxy: { '/api': process.env.RIMEDIO_ADDRESS ?? 'http://127.0.0.1:8080' },
  },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/test-setup.ts'],
    restoreMocks: true,
    // The contrast figures are read from the style sheet itself.
    css: true,
    server: {
    // The demonstration sends browsers back to this port after the sign-in.
    port: 5173,
    strictPort: true, deps: { inline: [/react-router/, /react-hot-toast/, /react-dropzone/, /@testing-library\/preact/] } },
  },
}));
