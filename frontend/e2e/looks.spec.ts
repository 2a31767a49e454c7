import { choosePerson, expect, giveConsent, test } from './town.ts';

test.describe('how it looks', () => {
  test('the theme is the system\'s until somebody chooses, and the choice is remembered', async ({ page }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto('/');
    const root = page.locator('html');
    await expect(root).toHaveClass(/dark/);
    await page.emulateMedia({ colorScheme: 'light' });
    await expect(root).not.toHaveClass(/dark/);
    await page.getByRole('button', { name: 'Attiva modalità scura' }).click();
    await expect(root).toHaveClass(/dark/);
    await expect(page.getByRole('button', { name: 'Attiva modalità chiara' })).toBeFocused();
    expect(await page.evaluate(() => localStorage.getItem('theme'))).toBe('dark');
    await page.reload();
    await expect(root).toHaveClass(/dark/);
  });

  test('the text grows on request and stays as it was left', async ({ page }) => {
    await page.goto('/faq');
    const body = page.locator('body');
    await expect(body).toHaveCSS('font-size', '18px');
    await page.getByRole('button', { name: 'Dimensione del testo' }).click();
    await page.getByText('Più grande').click();
    await expect(body).toHaveCSS('font-size', '27px');
    await page.keyboard.press('Escape');
    await page.reload();
    await expect(body).toHaveCSS('font-size', '27px');
  });

  test('moving within the product moves the focus to the heading, names the window and says so', async ({ page }) => {
    await page.goto('/');
    await page.getByRole('contentinfo').getByRole('link', { name: 'Privacy Policy' }).click();
    const heading = page.getByRole('heading', { level: 1 });
    await expect(heading).toHaveText('Privacy Policy');
    await expect(heading).toBeFocused();
    await expect(page).toHaveTitle('Privacy Policy – Rimedio');
    await expect(page.getByRole('status').filter({ hasText: 'Pagina aperta: Privacy Policy' })).toHaveCount(1);
    expect(await page.evaluate(() => scrollY)).toBe(0);
  });

  test('an address that leads nowhere says so and leads home', async ({ page }) => {
    await page.goto('/non-esiste');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Pagina non trovata');
    await page.getByRole('link', { name: 'Torna alla Home' }).click();
    await expect(page).toHaveURL(/\/$/);
  });

  test('the way to the plans leads to the prices on the same page', async ({ page }) => {
    await page.goto('/');
    await page.getByRole('link', { name: 'Vedi Tutti i Piani' }).click();
    await expect(page.getByRole('heading', { name: 'Quanto costa' })).toBeInViewport();
  });

  test('a drawer of the home page leads through the sign-in to a form that is filled in', async ({ page }) => {
    await page.goto('/');
    await page.getByRole('link', { name: /La stampante è offline/ }).click();
    await page.getByRole('link', { name: 'Accedi con Google' }).click();
    await choosePerson(page, 'anna');
    const form = page.getByLabel('Descrivi il tuo problema');
    const consent = page.getByRole('button', { name: 'Continua' });
    await expect(form.or(consent)).toBeVisible();
    if (await consent.isVisible()) await giveConsent(page);
    await expect(form).toHaveValue('La stampante risulta offline e non stampa.');
  });
});
