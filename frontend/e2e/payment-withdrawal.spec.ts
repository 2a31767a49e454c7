// Withdrawing from a contract within its 14 days: what comes back, the receipt, and that it is too late afterwards.

import type { Locator, Page } from '@playwright/test';

import { Bench, PLANS, buy, expectNoPlan, expectStatus, heading, slip, statusOf, type PlanName } from './payment-steps.ts';
import { PEOPLE, expect, signIn, signOut, testAlone as test, type PersonName } from './town.ts';

const link = (page: Page) => page.getByRole('link', { name: 'Recedi dal contratto qui' });

/** As the screens write amounts. */
function euro(cents: number): string {
  return new Intl.NumberFormat('it-IT', { style: 'currency', currency: 'EUR', minimumFractionDigits: cents % 100 === 0 ? 0 : 2 }).format(cents / 100);
}

/** What stands on a receipt beside a word. */
const on = (receipt: Locator, word: string) => receipt.locator('div', { has: receipt.page().getByText(word, { exact: true }) }).getByRole('definition').last();

/** From the page of the plan through the declaration to the receipt. */
async function withdraw(page: Page, who: PersonName, plan: PlanName, paid: number, refund: number) {
  await page.goto('/account/subscription');
  await link(page).click();
  await expect(heading(page, 'Recedi dal contratto')).toBeFocused();
  await expect(page.getByRole('heading', { level: 2, name: PLANS[plan].name })).toBeVisible();
  await expect(page.getByRole('main').getByText('Ti torna', { exact: true }).locator('..')).toHaveText(`Ti torna ${euro(refund)}`);
  await expect(page.getByLabel('Nome e cognome')).toHaveValue(PEOPLE[who].name);
  await expect(page.getByLabel('Indirizzo email per la ricevuta')).toHaveValue(PEOPLE[who].email);
  await page.getByRole('button', { name: 'Conferma recesso' }).click();
  await expect(page.getByText('Recesso fatto')).toBeVisible();

  const receipt = page.getByRole('main').locator('div', { has: page.getByRole('heading', { name: 'Ricevuta di recesso' }) }).last();
  await expect(on(receipt, 'Nome')).toHaveText(PEOPLE[who].name);
  await expect(on(receipt, 'Indirizzo email')).toHaveText(PEOPLE[who].email);
  await expect(on(receipt, 'Contratto')).toContainText(PLANS[plan].name);
  await expect(on(receipt, 'Hai pagato')).toHaveText(euro(paid));
  await expect(on(receipt, 'Ti torna')).toHaveText(euro(refund));
  await expect(on(receipt, 'Rimborso')).toContainText('Fatto.');
  await expect(on(receipt, 'Data e ora del recesso')).toContainText(/^\d{1,2} [a-z]+ \d{4} alle ore \d{2}:\d{2}$/);

  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Salva' }).click()]);
  const number = await on(receipt, 'Numero').innerText();
  expect(download.suggestedFilename()).toBe(`recesso-${number}.txt`);

  // It is there to be read again, and the plan is over.
  await page.reload();
  await page.getByRole('button', { name: new RegExp(`^${PLANS[plan].name},`) }).click();
  await expect(on(receipt, 'Numero')).toHaveText(number);
  await expectStatus(page, { status: 'ended', is_active: false });
  await expectNoPlan(page);
  await expect(page.getByRole('link', { name: 'Le tue ricevute di recesso' })).toBeVisible();
  await expect(link(page)).toBeHidden();
}

test.describe('withdrawing from a contract', () => {
  test('on the day of the purchase everything comes back, and another plan can be bought', async ({ page, context, town }) => {
    await signIn(page, 'bruno');
    await buy(page, 'monthly', 'good', { immediateStart: true });
    await withdraw(page, 'bruno', 'monthly', 999, 999);
    const bench = await Bench.open(context, town);
    await expect(bench.of('bruno')).toContainText('rimborsato');
    await expect(bench.of('bruno').getByText(/^Piano Mensile: finito/)).toBeVisible();
    await buy(page, 'annual');
    await expect(slip(page)).toContainText('Piano Annuale ATTIVO');
  });

  test('without a name or an address nothing is sent, and the field says what is missing', async ({ page }) => {
    await signIn(page, 'anna');
    await page.goto('/account/recesso');
    await page.getByLabel('Nome e cognome').fill('');
    await page.getByLabel('Indirizzo email per la ricevuta').fill('anna');
    await page.getByRole('button', { name: 'Conferma recesso' }).click();
    await expect(page.getByLabel('Nome e cognome')).toBeFocused();
    await expect(page.getByText('Scrivi il tuo nome e cognome.')).toBeVisible();
    await expect(page.getByText("Nell'indirizzo manca la chiocciola (@).")).toBeVisible();
    expect(await statusOf(page)).toMatchObject({ status: 'active' });
  });

  test('on the 3rd and the 14th day for the days that were not used, on the 15th no more', async ({ page, context, town }) => {
    await signIn(page, 'bruno');
    await buy(page, 'trial', 'good', { immediateStart: true });
    const bench = await Bench.open(context, town);
    await bench.moveOn(3);
    // 3 days of 7: 42 cents are kept.
    await withdraw(page, 'bruno', 'trial', 100, 58);
    await signOut(page);

    await bench.moveOn(11);
    await signIn(page, 'anna');
    const { current_period_start, current_period_end } = await statusOf(page);
    const days = Math.round((Date.parse(current_period_end) - Date.parse(current_period_start)) / 86_400_000);
    await withdraw(page, 'anna', 'monthly', 999, 999 - Math.floor((999 * 14) / days));
    await bench.page.reload();
    await expect(bench.of('anna')).toContainText('rimborsato in parte');
    await signOut(page);

    await signIn(page, 'carla');
    await page.goto('/account/subscription');
    await expect(link(page)).toBeVisible();
    await bench.moveOn(1);
    await page.reload();
    await expect(slip(page)).toContainText('Piano Annuale ATTIVO');
    await expect(link(page)).toBeHidden();
    await page.goto('/account/recesso');
    await expect(page.getByText("Adesso non c'è un contratto da cui recedere: i 14 giorni sono passati")).toBeVisible();
    await expect(page.getByRole('button', { name: 'Conferma recesso' })).toBeHidden();
  });
});
