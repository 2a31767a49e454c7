import { expect, expectAccessible, expectNoSidewaysScroll, signIn, test, THEMES, useTheme } from './town.ts';
import type { Page } from '@playwright/test';

const PROBLEM = 'Schermata blu con il codice 0x0000007B quando accendo il computer';

async function ask(page: Page, text: string) {
  await page.getByLabel('Descrivi il tuo problema').fill(text);
  await page.getByRole('button', { name: 'Trova la soluzione' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Ecco che cosa fare' })).toBeVisible();
}

function step(page: Page, number: number) {
  return page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3, name: new RegExp(`^Passaggio ${number}`) }) });
}

test.describe('a problem in words', () => {
  test('becomes a diagnosis with steps, whose outcomes survive a reload and count for the next answer', async ({ page }) => {
    await signIn(page, 'anna');
    await expect(page.getByText('Ciao, Anna Bianchi!')).toBeVisible();
    await expect(page.getByRole('complementary', { name: 'Chi ti risponde' })).toContainText('manuale');
    await ask(page, PROBLEM);
    await expect(page.getByText('INACCESSIBLE_BOOT_DEVICE').first()).toBeVisible();
    await expect(page.getByText(/Diagnosi molto probabile \(\d+%\)/)).toBeVisible();
    await expect(page.getByText('Dal manuale di Rimedio')).toBeVisible();
    const first = (await step(page, 1).locator('p').first().textContent()) ?? '';

    await step(page, 1).getByRole('button', { name: 'Fatto', exact: true }).click();
    await step(page, 2).getByRole('button', { name: 'Non lo trovo' }).click();
    await expect(step(page, 1).getByRole('button', { name: 'Fatto', exact: true })).toHaveAttribute('aria-pressed', 'true');
    await page.waitForLoadState('networkidle');
    await page.reload();
    await expect(step(page, 1).getByRole('button', { name: 'Fatto', exact: true })).toHaveAttribute('aria-pressed', 'true');
    await expect(step(page, 2).getByRole('button', { name: 'Non lo trovo' })).toHaveAttribute('aria-pressed', 'true');

    await page.getByRole('button', { name: "Fai un'altra domanda" }).click();
    await expect(page.getByRole('button', { name: 'Invia', exact: true })).toBeDisabled();
    await page.getByLabel('La tua domanda').fill('E adesso che cosa faccio?');
    await page.getByRole('button', { name: 'Invia', exact: true }).click();
    await expect(page.getByText('Risposta ricevuta!')).toBeVisible();
    await expect(page.getByText('Hai già provato un passaggio')).toBeVisible();
    await expect(page.getByText(first, { exact: true })).toHaveCount(0);
    await expect(page.getByText(/Se non lo trovi:/)).toBeVisible();
  });

  test('an example fills the field, feedback is thanked for once, and a new problem begins with nothing', async ({ page }) => {
    await signIn(page, 'anna');
    await page.getByRole('button', { name: /stampante dice che è offline/ }).click();
    await expect(page.getByLabel('Descrivi il tuo problema')).toHaveValue(/stampante/);
    await page.getByRole('button', { name: 'Trova la soluzione' }).click();
    await expect(page.getByText('Soluzione trovata!')).toBeVisible();
    await page.getByRole('button', { name: 'Sì, utile' }).click();
    await expect(page.getByText('Grazie per il tuo feedback!')).toBeVisible();
    await expect(page.getByText('Questa risposta ti è stata utile?')).toHaveCount(0);

    await page.getByRole('button', { name: 'Nuovo problema' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Come posso aiutarti oggi?');
    await expect(page.getByLabel('Descrivi il tuo problema')).toHaveValue('');
    await expect(page).toHaveURL(/\/app$/);
  });

  test('a review asks for stars and words, and stays in the browser', async ({ page }) => {
    await signIn(page, 'anna');
    await ask(page, 'il wifi è collegato ma internet non va');
    await page.getByRole('button', { name: 'Scrivi una recensione dettagliata' }).click();
    const dialog = page.getByRole('dialog', { name: 'Dicci che cosa ne pensi' });
    await dialog.getByRole('button', { name: 'Invia' }).click();
    await expect(dialog.getByText('Per favore, seleziona una valutazione')).toBeVisible();
    await expect(dialog.getByText('Per favore, scrivi un commento')).toBeVisible();
    await dialog.getByRole('radio', { name: /5 stelle: Eccellente/ }).check({ force: true });
    await dialog.getByLabel('Il tuo commento').fill('Mi avete salvato la domenica.');
    await dialog.getByLabel('Potete mostrare la mia recensione').check();
    await dialog.getByRole('button', { name: 'Invia' }).click();
    await expect(page.getByText('Grazie per la tua recensione!')).toBeVisible();
    await expect(dialog).toBeHidden();
    const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('userFeedback') ?? '[]') as Record<string, unknown>[]);
    expect(kept).toMatchObject([{ type: 'review', rating: 5, comment: 'Mi avete salvato la domenica.', name: 'Anonimo', canUseTestimonial: true }]);
    await expect(page.getByText('Questa risposta ti è stata utile?')).toHaveCount(0);
  });

  test('what was typed survives a reload and a server that fails', async ({ page }) => {
    await signIn(page, 'anna');
    await page.getByLabel('Descrivi il tuo problema').fill('la stampante non stampa');
    await page.reload();
    await expect(page.getByLabel('Descrivi il tuo problema')).toHaveValue('la stampante non stampa');
    await page.route('**/api/v1/solve', (route) => route.fulfill({ status: 503, json: { detail: 'Riprova.', code: 'unavailable', request_id: '1' } }));
    await page.getByRole('button', { name: 'Trova la soluzione' }).click();
    await expect(page.getByText('Si è verificato un errore. Riprova più tardi.').first()).toBeVisible();
    await expect(page.getByLabel('Descrivi il tuo problema')).toHaveValue('la stampante non stampa');
    await page.unroute('**/api/v1/solve');
    await page.getByRole('button', { name: 'Trova la soluzione' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Ecco che cosa fare' })).toBeVisible();
  });

  test('an answer whose line broke is waited for', async ({ page }) => {
    await signIn(page, 'anna');
    // The stream ends after its first event, as when a train enters a tunnel; the server goes on.
    await page.route('**/api/v1/solve', async (route) => {
      const answer = await route.fetch();
      const first = (await answer.text()).split('\n\n')[0] ?? '';
      await route.fulfill({ response: answer, body: `${first}\n\n` });
    });
    await ask(page, 'il computer è lentissimo');
    await expect(page.getByText('Dal manuale di Rimedio')).toBeVisible();
  });

  test('a reload during the wait finds the answer and asks nothing twice', async ({ page }) => {
    await signIn(page, 'anna');
    const used = async () => Number(/(\d+) di/.exec((await page.getByRole('meter', { name: 'Richieste di oggi' }).getAttribute('aria-valuetext')) ?? '')?.[1]);
    await expect(page.getByRole('meter', { name: 'Richieste di oggi' })).toBeVisible();
    const before = await used();
    // The first event arrives, the others never do: the page still waits when it is reloaded.
    await page.route('**/api/v1/solve', async (route) => {
      const answer = await route.fetch();
      const first = (await answer.text()).split('\n\n')[0] ?? '';
      await route.fulfill({ response: answer, body: `${first}\n\n` });
    });
    await page.route('**/api/v1/sessions/*', () => {});
    await page.getByLabel('Descrivi il tuo problema').fill('la batteria del portatile dura poco');
    await page.getByRole('button', { name: 'Trova la soluzione' }).click();
    await expect(page).toHaveURL(/\/app\?s=/);
    await page.unrouteAll();
    await page.reload();
    await expect(page.getByRole('heading', { level: 1, name: 'Ecco che cosa fare' })).toBeVisible();
    expect(await used()).toBe(before + 1);
    await page.getByRole('button', { name: 'Nuovo problema' }).click();
    await expect(page.getByLabel('Descrivi il tuo problema')).toHaveValue('');
  });

  test('a request that cannot be opened now is not lost', async ({ page }) => {
    await signIn(page, 'anna');
    await ask(page, 'il mouse non si muove');
    await page.route('**/api/v1/sessions/*', (route) => route.fulfill({ status: 503, json: { detail: 'Riprova tra poco.', code: 'unavailable', request_id: '1' } }));
    await page.reload();
    await expect(page.getByRole('heading', { level: 1, name: 'Non riesco a riaprire la tua richiesta' })).toBeVisible();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Riprova' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Ecco che cosa fare' })).toBeVisible();
  });

  test('a limit that is reached is told as the server tells it, with the way to a larger plan', async ({ page }) => {
    await signIn(page, 'anna');
    const detail = 'Hai usato le 10 richieste di oggi. Fai un Upgrade per averne di più.';
    await page.route('**/api/v1/solve', (route) => route.fulfill({ status: 429, json: { detail, code: 'daily_limit', request_id: '1' } }));
    await page.getByLabel('Descrivi il tuo problema').fill('aiuto');
    await page.getByRole('button', { name: 'Trova la soluzione' }).click();
    await expect(page.getByText(detail).first()).toBeVisible();
    await expect(page.getByText('Hai raggiunto il limite del tuo piano.')).toBeVisible();
    await page.getByRole('link', { name: 'Aggiorna Piano' }).click();
    await expect(page).toHaveURL(/\/account\/subscription$/);
  });
});

test('past requests are listed, opened, continued and removed', async ({ page }) => {
  await signIn(page, 'anna');
  await ask(page, 'non si sente più niente dal computer');
  await page.getByRole('button', { name: 'Ho risolto' }).click();
  await expect(page.getByRole('button', { name: 'Risolto!' })).toBeVisible();
  await page.goto('/richieste');
  const entry = page.getByRole('listitem').filter({ hasText: 'non si sente più niente' });
  await expect(entry.getByText('Risolto')).toBeVisible();
  await entry.getByRole('link').click();
  await expect(page.getByRole('heading', { level: 2, name: 'Che cosa fare' })).toBeVisible();
  await page.getByRole('link', { name: 'Continua questa richiesta' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Ecco che cosa fare' })).toBeVisible();
  await page.goBack();
  await page.getByRole('button', { name: 'Cancella' }).click();
  await page.getByRole('button', { name: 'Sì, cancella' }).click();
  await expect(page.getByText('Richiesta cancellata.')).toBeVisible();
  await expect(page.getByText('non si sente più niente')).toHaveCount(0);
});

test('the whole way by keyboard alone', async ({ page }) => {
  await signIn(page, 'anna');
  const press = async (name: RegExp | string) => {
    // Every control is reached by Tab, in the order of the page.
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press('Tab');
      const focused = page.locator(':focus');
      const label = await focused.evaluate((one) => one.getAttribute('aria-label') ?? (one as HTMLElement).innerText ?? '');
      const named = typeof name === 'string' ? label === name : name.test(label);
      if (named) return;
    }
    throw new Error(`Tab never reached ${String(name)}`);
  };
  await page.getByLabel('Descrivi il tuo problema').focus();
  await page.keyboard.type('la stampante risulta offline ma è accesa');
  await press('Trova la soluzione');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Ecco che cosa fare' })).toBeFocused();
  await press('Fatto');
  await page.keyboard.press('Space');
  await expect(step(page, 1).getByRole('button', { name: 'Fatto', exact: true })).toHaveAttribute('aria-pressed', 'true');
  await press("Fai un'altra domanda");
  await page.keyboard.press('Enter');
  await press('');
  await page.keyboard.type('non ha funzionato');
  await press('Invia');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Risposta ricevuta!')).toBeVisible();
});

test.describe('at 390 px', () => {
  test.use({ viewport: { width: 390, height: 844 } });
  test('nothing is wider than the window, form, answer and past requests', async ({ page }) => {
    await signIn(page, 'anna');
    await expectNoSidewaysScroll(page);
    await ask(page, PROBLEM);
    await expectNoSidewaysScroll(page);
    await page.goto('/richieste');
    await expect(page.getByRole('listitem').first()).toBeVisible();
    await expectNoSidewaysScroll(page);
  });
});

test('what is printed is dark on white, without what can be pressed, also from a dark screen', async ({ page }) => {
  await useTheme(page, 'dark');
  await signIn(page, 'anna');
  await ask(page, PROBLEM);
  await page.emulateMedia({ media: 'print' });
  const [ink, paper] = await page.evaluate(() => {
    const text = document.querySelector('article p') ?? document.body;
    return [getComputedStyle(text).color, getComputedStyle(document.body).backgroundColor];
  });
  expect(paper).toBe('rgb(255, 255, 255)');
  expect(Math.max(...(ink?.match(/\d+/g) ?? ['255']).map(Number)), ink).toBeLessThan(60);
  await expect(page.getByRole('button')).toHaveCount(0);
  await expect(page.getByRole('banner')).toBeHidden();
});

for (const theme of THEMES) {
  test(`axe finds nothing, ${theme}`, async ({ page }) => {
    await useTheme(page, theme);
    await signIn(page, 'anna');
    await expectAccessible(page);
    await ask(page, PROBLEM);
    await step(page, 1).getByRole('button', { name: 'Fatto', exact: true }).click();
    await page.getByRole('button', { name: "Fai un'altra domanda" }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Scrivi una recensione dettagliata' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.goto('/richieste');
    await expect(page.getByRole('listitem').first()).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('link', { name: /Schermata blu/ }).first().click();
    await expect(page.getByRole('heading', { level: 2, name: 'Che cosa fare' })).toBeVisible();
    await expectAccessible(page);
  });
}
