// Pictures of every screen, for the eye: `npm run screenshots` writes them to test-results/screens/.

import { THEMES, expect, signIn, test, useTheme } from './town.ts';

const SIZES = [
  { name: 'wide', viewport: { width: 1280, height: 900 } },
  { name: 'narrow', viewport: { width: 390, height: 844 } },
] as const;

const PUBLIC = { home: '/', login: '/login', faq: '/faq', privacy: '/privacy', missing: '/non-esiste' } as const;
const SIGNED_IN = {
  assistant: '/app',
  history: '/richieste',
  subscription: '/account/subscription',
  order: '/account/ordine?plan=monthly',
  withdrawal: '/account/recesso',
  settings: '/account/settings',
} as const;

for (const { name, viewport } of SIZES) {
  for (const theme of THEMES) {
    test(`${name}, ${theme}`, async ({ page }) => {
      await page.setViewportSize(viewport);
      await useTheme(page, theme);
      const shoot = async (screen: string) => {
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await page.evaluate(() => document.fonts.ready);
        await page.screenshot({ path: `test-results/screens/${screen}-${name}-${theme}.png`, fullPage: true, animations: 'disabled' });
      };
      for (const [screen, address] of Object.entries(PUBLIC)) {
        await page.goto(address);
        await shoot(screen);
      }
      await signIn(page, 'anna');
      await page.route('**/api/v1/auth/me', async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, json: { ...(await answer.json()), consent_required: true } });
      });
      await page.goto('/account/settings');
      await expect(page.getByRole('button', { name: 'Continua' })).toBeVisible();
      await shoot('consent');
      await page.unrouteAll({ behavior: 'wait' });
      await page.goto('/faq');
      await page.getByRole('button', { name: 'Dimensione del testo' }).click();
      await shoot('text-size');
      for (const [screen, address] of Object.entries(SIGNED_IN)) {
        await page.goto(address);
        await shoot(screen);
      }
      await page.goto('/app');
      await shoot('assistant');
      await page.getByLabel('Descrivi il tuo problema').fill('All\'avvio esce una schermata blu con scritto 0x0000007B');
      await page.getByRole('button', { name: 'Trova la soluzione' }).click();
      await expect(page.getByRole('heading', { name: 'Ecco che cosa fare' })).toBeVisible();
      await page.getByRole('button', { name: 'Fatto', exact: true }).first().click();
      await page.getByRole('button', { name: 'Non lo trovo' }).nth(1).click();
      await shoot('answer');
      await page.goto('/richieste');
      await expect(page.getByRole('listitem').filter({ hasText: 'schermata blu' }).first()).toBeVisible();
      await shoot('past');
      await page.getByRole('button', { name: /^Menu di/ }).click();
      await shoot('menu');
      await page.getByRole('button', { name: 'Esci' }).click();
      await signIn(page, 'bruno');
      await shoot('subscription-none');
      await page.getByRole('button', { name: /^Menu di/ }).click();
      await page.getByRole('button', { name: 'Attiva un Piano' }).click();
      await shoot('menu-none');
    });
  }
}
