// Every screen, in both themes: nothing that axe finds, and nothing wider than the window at 390 px, at twice the text
// size too.

import { THEMES, expect, expectAccessible, expectNoSidewaysScroll, signIn, test, useTheme } from './town.ts';

const PUBLIC = ['/', '/login', '/faq', '/privacy', '/terms', '/stripe-test-simple', '/non-esiste'] as const;
const SIGNED_IN = [
  '/account/subscription',
  '/account/ordine?plan=trial',
  '/account/ordine?plan=annual',
  '/account/recesso',
  '/account/settings',
  '/stripe-test',
] as const;
const NARROW = { width: 390, height: 844 };

for (const theme of THEMES) {
  test.describe(`in the ${theme} theme`, () => {
    test.beforeEach(async ({ page }) => useTheme(page, theme));

    test('the public screens are accessible, also when narrow', async ({ page }) => {
      for (const address of PUBLIC) {
        await test.step(address, async () => {
          await page.goto(address);
          await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
          await expectAccessible(page);
          await page.setViewportSize(NARROW);
          await expectAccessible(page);
          await expectNoSidewaysScroll(page);
          await page.setViewportSize({ width: 1280, height: 900 });
        });
      }
    });

    test('the account screens and the menu are accessible, also when narrow', async ({ page }) => {
      await signIn(page, 'anna');
      for (const address of SIGNED_IN) {
        await test.step(address, async () => {
          await page.goto(address);
          await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
          await expectAccessible(page);
          await page.setViewportSize(NARROW);
          await expectNoSidewaysScroll(page);
          await page.getByRole('button', { name: /^Menu di/ }).click();
          await expect(page.getByRole('button', { name: 'Esci' })).toBeVisible();
          await expectAccessible(page);
          await expectNoSidewaysScroll(page);
          await page.setViewportSize({ width: 1280, height: 900 });
        });
      }
    });

    test('the consent and the plans of whom has none are accessible', async ({ page }) => {
      // As the server says it of somebody new.
      await page.route('**/api/v1/auth/me', async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, json: { ...(await answer.json()), consent_required: true } });
      });
      await signIn(page, 'bruno');
      await page.goto('/account/settings');
      await expect(page.getByRole('heading', { level: 1 })).toContainText('due cose');
      await page.getByRole('button', { name: 'Continua' }).click();
      await expectAccessible(page);
      await page.unrouteAll({ behavior: 'wait' });
      await page.goto('/account/subscription');
      await expect(page.getByText('Nessun Piano').first()).toBeVisible();
      await page.getByRole('button', { name: /^Menu di/ }).click();
      await page.getByRole('button', { name: 'Attiva un Piano' }).click();
      await expectAccessible(page);
    });
  });
}

test('at twice the text size nothing is cut off sideways', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('text_size', '200'));
  await page.setViewportSize(NARROW);
  const look = async (addresses: readonly string[]) => {
    for (const address of addresses) {
      await page.goto(address);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await test.step(address, () => expectNoSidewaysScroll(page));
    }
  };
  await look(PUBLIC);
  await signIn(page, 'anna');
  await look(SIGNED_IN);
  await page.getByRole('button', { name: /^Menu di/ }).click();
  await expect(page.getByRole('button', { name: 'Esci' })).toBeVisible();
  await expectNoSidewaysScroll(page);
});
