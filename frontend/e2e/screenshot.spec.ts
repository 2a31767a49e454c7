// A picture of the screen instead of words. The words in it are read in the browser itself.

import type { Page } from '@playwright/test';

import { expect, signIn, test } from './town.ts';

/** A blue screen as Windows 10 shows it, photographed by the browser. */
async function blueScreen(page: Page): Promise<Buffer> {
  const other = await page.context().newPage();
  await other.setViewportSize({ width: 1024, height: 640 });
  // Drawn on a page of the product, whose type is there on every machine.
  await other.goto('/faq');
  await other.evaluate(async () => {
    const lines: [size: number, text: string][] = [
      [110, ':('],
      [26, "Your PC ran into a problem and needs to restart. We're just collecting some error info, and then we'll restart for you."],
      [26, '20% complete'],
      [18, 'If you call a support person, give them this info:'],
      [18, 'Stop code: INACCESSIBLE_BOOT_DEVICE'],
    ];
    Object.assign(document.body.style, { background: '#0078d7', color: '#fff', padding: '60px 80px' });
    document.body.replaceChildren(
      ...lines.map(([size, text]) => {
        const line = document.createElement('p');
        Object.assign(line.style, { fontSize: `${size}px`, marginBottom: '20px' });
        line.textContent = text;
        return line;
      }),
    );
    await document.fonts.ready;
  });
  const picture = await other.screenshot();
  await other.close();
  return picture;
}

test('a blue screen is read and answered without a word', async ({ page }) => {
  await signIn(page, 'anna');
  const buffer = await blueScreen(page);
  await page.getByLabel('Scegli la foto dello schermo').setInputFiles({ name: 'schermata.png', mimeType: 'image/png', buffer });
  await expect(page.getByAltText('La tua immagine: schermata.png')).toBeVisible();

  await page.getByRole('button', { name: "Togli l'immagine" }).click();
  await expect(page.getByAltText('La tua immagine: schermata.png')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Trova la soluzione' })).toBeDisabled();

  await page.getByLabel('Scegli la foto dello schermo').setInputFiles({ name: 'schermata.png', mimeType: 'image/png', buffer });
  await page.getByRole('button', { name: 'Trova la soluzione' }).click();
  await expect(page.getByRole('button', { name: 'Analisi in corso...' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: 'Ecco che cosa fare' })).toBeVisible({ timeout: 40_000 });
  await expect(page.getByText('INACCESSIBLE_BOOT_DEVICE').first()).toBeVisible();
  await expect(page.getByRole('heading', { level: 3, name: 'Passaggio 3' })).toBeVisible();

  // The picture is kept with the request, for its owner.
  await page.goto('/richieste');
  await page.getByRole('main').getByRole('listitem').getByRole('link').first().click();
  await expect(page.getByAltText("L'immagine che hai mandato")).toBeVisible();
});

test('a file that is no picture, and one that is too large, are refused with what to do', async ({ page }) => {
  await signIn(page, 'anna');
  const input = page.getByLabel('Scegli la foto dello schermo');
  await input.setInputFiles({ name: 'nota.txt', mimeType: 'text/plain', buffer: Buffer.from('ciao') });
  await expect(page.getByText(/File type must be .*Scegli un'immagine JPG o PNG\./)).toBeVisible();
  await input.setInputFiles({ name: 'foto.png', mimeType: 'image/png', buffer: Buffer.alloc(10 * 1024 * 1024 + 1) });
  await expect(page.getByText(/File is larger than 10485760 bytes.*il massimo è 10 MB/)).toBeVisible();

  // What only looks like a picture is found out by the server, and nothing that was typed is lost.
  await page.getByLabel('Descrivi il tuo problema').fill('che cosa dice?');
  await input.setInputFiles({ name: 'foto.png', mimeType: 'image/png', buffer: Buffer.from('non sono una foto') });
  await page.getByRole('button', { name: 'Trova la soluzione' }).click();
  await expect(page.getByText(/non è un'immagine che possiamo aprire/)).toBeVisible();
  await expect(page.getByLabel('Descrivi il tuo problema')).toHaveValue('che cosa dice?');
});

test('a picture that cannot be read holds nobody up', async ({ page, context }) => {
  const thrown: Error[] = [];
  page.on('pageerror', (error) => thrown.push(error));
  let refused = 0;
  await context.route('**/*.traineddata.gz', (route) => {
    refused += 1;
    return route.fulfill({ status: 503 });
  });
  await signIn(page, 'anna');
  const buffer = await blueScreen(page);
  await page.getByLabel('Scegli la foto dello schermo').setInputFiles({ name: 'schermata.png', mimeType: 'image/png', buffer });
  await page.getByLabel('Descrivi il tuo problema').fill('la stampante non stampa');
  await page.getByRole('button', { name: 'Trova la soluzione' }).click();
  // Well before a reading is given up for taking too long.
  await expect(page.getByRole('heading', { level: 1, name: 'Ecco che cosa fare' })).toBeVisible({ timeout: 15_000 });
  expect(refused).toBeGreaterThan(0);
  expect(thrown).toEqual([]);
});
