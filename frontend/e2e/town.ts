// A whole installation for the journeys: the real binary with its demonstration, on a free port, with data of its own.
// One for each worker, started before its first test and ended after its last; or one for a single journey, where
// somebody does what can be done only once.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';

const BINARY = process.env.RIMEDIO_BINARY ?? fileURLToPath(new URL('../../target/debug/rimedio', import.meta.url));

/** Milliseconds; a debug build on a busy machine. */
const STARTS_WITHIN = 30_000;

/**
 * The people of the demonstration: with a plan, without one, and the one who runs the service. Carla is the new person
 * of the sign-in's journey: no other journey signs her in, because everybody consents only once.
 */
export const PEOPLE = {
  anna: { name: 'Anna Bianchi', email: 'anna.bianchi@posta.example' },
  bruno: { name: 'Bruno Conti', email: 'bruno.conti@posta.example' },
  carla: { name: 'Carla Ferri', email: 'carla.ferri@posta.example' },
} as const;
export type PersonName = keyof typeof PEOPLE;

export interface Town {
  /** Such as `http://127.0.0.1:41234`. */
  address: string;
}

async function addressOf(server: ChildProcess): Promise<string> {
  if (!server.stdout) throw new Error('the server has no output');
  const lines = createInterface({ input: server.stdout });
  return await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the server did not say that it is ready')), STARTS_WITHIN);
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready`)));
    lines.on('line', (line) => {
      const address = /^Rimedio è pronto: (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (!address) return;
      clearTimeout(timer);
      resolve(address);
    });
  });
}

/** Runs an installation for as long as `use` lasts. */
async function runTown(use: (town: Town) => Promise<void>) {
  if (!existsSync(BINARY)) throw new Error(`No binary at ${BINARY}: run \`cargo build\` first, or set RIMEDIO_BINARY.`);
  const data = await mkdtemp(join(tmpdir(), 'rimedio-e2e-'));
  const server = spawn(BINARY, ['demo', '--port', '0', '--data-directory', data], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await use({ address: await addressOf(server) });
  } finally {
    if (server.exitCode === null && server.signalCode === null) {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      const kill = setTimeout(() => server.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(kill);
    }
    await rm(data, { recursive: true, force: true });
  }
}

const watched = base.extend<{ problems: string[] }>({
  // What the browser itself complains about (a policy that was broken, a script that failed) fails every journey.
  problems: [
    async ({ context }, use) => {
      const problems: string[] = [];
      context.on('weberror', (error) => problems.push(error.error().message));
      context.on('console', (message) => {
        // The recorder of the tests fetches pictures that only live in the page; the product never does.
        const byTheRecorder = message.text().startsWith("Connecting to 'blob:");
        if (/Content Security Policy/.test(message.text()) && !byTheRecorder) problems.push(message.text());
      });
      await use(problems);
      expect(problems, 'what the browser complained about').toEqual([]);
    },
    { auto: true },
  ],
});

const TOWN_TIMEOUT = STARTS_WITHIN + 30_000;

/** A journey in the town of its worker. */
export const test = watched.extend<object, { town: Town }>({
  // eslint-disable-next-line no-empty-pattern
  town: [async ({}, use) => runTown(use), { scope: 'worker', timeout: TOWN_TIMEOUT }],
  baseURL: async ({ town }, use) => use(town.address),
});

/** A journey in a town of its own: nobody has bought anything there, and its clock may be moved. */
export const testAlone = watched.extend<{ town: Town }>({
  // eslint-disable-next-line no-empty-pattern
  town: [async ({}, use) => runTown(use), { timeout: TOWN_TIMEOUT }],
  baseURL: async ({ town }, use) => use(town.address),
});

export { expect };

/** Chooses a person on the page that stands in for Google's. */
export async function choosePerson(page: Page, person: PersonName) {
  await page.getByRole('link', { name: new RegExp(PEOPLE[person].name) }).click();
}

/** Agrees to age and terms, as everybody must once. */
export async function giveConsent(page: Page) {
  await page.getByLabel('Ho almeno 16 anni').check();
  await page.getByLabel(/Ho letto e accetto/).check();
  await page.getByRole('button', { name: 'Continua' }).click();
}

/**
 * Signs somebody in through the real pages, with the consent at the first time, up to the page on which they land:
 * the assistant, or the plans for whom has none.
 */
export async function signIn(page: Page, person: PersonName) {
  await page.goto('/login');
  await page.getByRole('link', { name: 'Accedi con Google' }).click();
  await choosePerson(page, person);
  const consent = page.getByRole('button', { name: 'Continua' });
  const landed = page.getByRole('heading', { level: 1, name: /Come posso aiutarti|abbonamento/i });
  await expect(consent.or(landed)).toBeVisible();
  if (await consent.isVisible()) await giveConsent(page);
  await expect(landed).toBeVisible();
}

export async function signOut(page: Page) {
  await page.getByRole('button', { name: /^Menu di/ }).click();
  await page.getByRole('button', { name: 'Esci' }).click();
}

export type ThemeName = 'light' | 'dark';
export const THEMES: readonly ThemeName[] = ['light', 'dark'];

/** Sets the theme as a person would find it set; holds for every page that is opened afterwards. */
export async function useTheme(page: Page, theme: ThemeName) {
  await page.addInitScript((chosen) => localStorage.setItem('theme', chosen), theme);
}

/** Nothing is wider than the window. */
export async function expectNoSidewaysScroll(page: Page) {
  const beyond = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const wider = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > clientWidth + 1);
    return wider.map((one) => `${one.tagName.toLowerCase()}.${one.className.toString()}: ${(one.textContent ?? '').slice(0, 40)}`);
  });
  expect(beyond, 'what reaches beyond the window').toEqual([]);
}

/** What axe finds on the page as it stands: nothing. */
export async function expectAccessible(page: Page) {
  await page.evaluate(async () => {
    await document.fonts.ready;
    // Colours in between are nobody's choice.
    await Promise.all(document.getAnimations().filter((one) => one.effect?.getTiming().iterations !== Infinity).map((one) => one.finished.catch(() => {})));
  });
  // The mode for pages without frames within them, which ours never have: the other opens a second page for each look.
  const found = await new AxeBuilder({ page }).setLegacyMode().withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']).analyze();
  const told = found.violations.map(({ id, help, nodes }) => ({ id, help, where: nodes.map((node) => `${node.target.join(' ')}: ${node.failureSummary ?? ''}`) }));
  expect(told).toEqual([]);
}
