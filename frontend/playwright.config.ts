import { existsSync } from 'node:fs';

import { defineConfig } from '@playwright/test';

// The system's Chromium; nothing is downloaded.
const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
if (!existsSync(chromium)) {
  throw new Error(`No Chromium at ${chromium}: install it from the system's packages, or say where it is with CHROMIUM=/path.`);
}

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // Each worker has a server of its own.
  workers: process.env.CI ? 1 : 2,
  fullyParallel: false,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    locale: 'it-IT',
    timezoneId: 'Europe/Rome',
    viewport: { width: 1280, height: 900 },
    trace: 'retain-on-failure',
    launchOptions: { executablePath: chromium, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] },
  },
  projects: [
    { name: 'journeys', testMatch: '*.spec.ts' },
    { name: 'screenshots', testMatch: '*.shots.ts' },
  ],
});
