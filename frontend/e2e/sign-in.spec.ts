import { choosePerson, expect, giveConsent, signIn, signOut, test, PEOPLE } from './town.ts';

test.describe('signing in', () => {
  test('a new person agrees to age and terms first, and the ticket leaves the address bar', async ({ page }) => {
    await page.goto('/');
    await page.getByRole('banner').getByRole('link', { name: 'Accedi' }).click();
    await expect(page).toHaveURL(/\/login$/);
    await page.getByRole('link', { name: 'Accedi con Google' }).click();
    const addresses: string[] = [];
    page.on('framenavigated', (frame) => addresses.push(frame.url()));
    await choosePerson(page, 'carla');
    await expect(page.getByRole('heading', { level: 1 })).toContainText('due cose prima di cominciare');
    expect(new URL(page.url()).search).toBe('');

    // Without the two ticks nothing happens but a sentence.
    await page.getByRole('button', { name: 'Continua' }).click();
    await expect(page.getByText('Per continuare, conferma la tua età')).toBeVisible();

    // A reload changes nothing: the consent comes before anything else.
    await page.goto('/account/settings');
    await expect(page.getByRole('heading', { level: 1 })).toContainText('due cose prima di cominciare');
    await giveConsent(page);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Impostazioni Account');
  });

  test('a person with a plan lands on the assistant', async ({ page }) => {
    await signIn(page, 'anna');
    await expect(page).toHaveURL(/\/app$/);
    await page.goto('/');
    await expect(page).toHaveURL(/\/app$/);
    await page.goto('/login');
    await expect(page).toHaveURL(/\/app$/);
  });

  test('a person without a plan lands on the plans, and is told why', async ({ page }) => {
    await signIn(page, 'bruno');
    await expect(page).toHaveURL(/\/account\/subscription$/);
    await expect(page.getByText('Sottoscrizione richiesta')).toBeVisible();
    await page.getByRole('button', { name: /^Menu di/ }).click();
    await expect(page.getByText('Nessun Piano')).not.toHaveCount(0);
    await page.getByRole('button', { name: 'Attiva un Piano' }).click();
    await page.getByRole('link', { name: /Piano Annuale/ }).first().click();
    await expect(page.getByRole('heading', { level: 1, name: 'Controlla il tuo ordine' })).toBeVisible();
  });

  test('signing out leads home and ends the session at the server', async ({ page, request, baseURL }) => {
    await signIn(page, 'anna');
    const token = await page.evaluate(() => localStorage.getItem('access_token'));
    await signOut(page);
    await expect(page).toHaveURL(/\/$/);
    await expect(page.getByRole('banner').getByRole('link', { name: 'Accedi' })).toBeVisible();
    expect(await page.evaluate(() => [localStorage.getItem('access_token'), localStorage.getItem('user')])).toEqual([null, null]);
    await expect(async () => {
      const answer = await request.get(`${baseURL}/api/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } });
      expect(answer.status()).toBe(401);
    }).toPass();
    await page.goto('/app');
    await expect(page).toHaveURL(/\/login$/);
  });

  test('whoever turns back at Google reads why and is led to the sign-in', async ({ page }) => {
    await page.goto('/login');
    await page.getByRole('link', { name: 'Accedi con Google' }).click();
    await page.getByRole('link', { name: /Annulla/ }).click();
    await expect(page.getByRole('heading', { name: 'Errore di autenticazione' })).toBeVisible();
    await expect(page.getByText('Reindirizzamento al login...')).toBeVisible();
    await expect(page).toHaveURL(/\/login$/);
  });

  test('a session that the server has ended leads to the sign-in', async ({ page, request, baseURL }) => {
    await signIn(page, 'anna');
    const token = await page.evaluate(() => localStorage.getItem('access_token'));
    await request.post(`${baseURL}/api/v1/auth/logout`, { headers: { authorization: `Bearer ${token}` } });
    await page.reload();
    await expect(page).toHaveURL(/\/login$/);
  });

  test('the keyboard alone is enough', async ({ page }) => {
    await page.goto('/login');
    await expect(page.getByRole('link', { name: 'Accedi con Google' })).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Vai al contenuto' })).toBeFocused();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Accedi con Google' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Chi vuoi essere?' })).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: new RegExp(PEOPLE.anna.name) })).toBeFocused();
    await page.keyboard.press('Enter');
    const landed = page.getByRole('heading', { level: 1, name: /Come posso aiutarti/ });
    const consent = page.getByLabel('Ho almeno 16 anni');
    await expect(landed.or(consent)).toBeVisible();
    if (await consent.isVisible()) {
      await page.keyboard.press('Tab');
      while (!(await consent.evaluate((box) => box === document.activeElement))) await page.keyboard.press('Tab');
      await page.keyboard.press('Space');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Space');
      await page.keyboard.press('Enter');
    }
    await expect(landed).toBeVisible();

    // The menu: opened, walked through and closed without a mouse.
    const menu = page.getByRole('button', { name: /^Menu di/ });
    await menu.focus();
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('link', { name: 'Gestisci Abbonamento' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(menu).toBeFocused();
    await expect(page.getByRole('link', { name: 'Gestisci Abbonamento' })).toBeHidden();
  });
});
