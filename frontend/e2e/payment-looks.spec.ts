// The screens of the money in every state that they can be brought to, in both themes: nothing that axe finds, and
// nothing wider than a narrow window.

import type { Page } from '@playwright/test';

import { Bench, PAID, PLANS, TURNED_BACK, besides, buy, chooseOnShelf, comeBack, expectStatus, heading, orderIt, payWith, slip, statusOf } from './payment-steps.ts';
import { expect, expectAccessible, expectNoSidewaysScroll, signIn, testAlone as test } from './town.ts';

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };

/** Looks at a screen of ours in the one theme and the other, as the button at the top changes them, and when narrow. */
async function look(page: Page, what: string) {
  await test.step(what, async () => {
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Attiva modalità scura' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Attiva modalità chiara' }).click();
    await page.setViewportSize(NARROW);
    await expectNoSidewaysScroll(page);
    await page.setViewportSize(WIDE);
  });
}

/** The same for a page of the stand-in, which follows the system's theme. */
async function lookAtStandIn(page: Page, what: string) {
  await test.step(what, async () => {
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
    }
    const { width, height } = page.viewportSize() ?? WIDE;
    await page.setViewportSize(NARROW);
    await expectNoSidewaysScroll(page);
    await page.setViewportSize({ width, height });
  });
}

test.describe('how the screens of the money look', () => {
  test.setTimeout(90_000);

  test('from the plans through the order and the payment page to the trial', async ({ page }) => {
    await signIn(page, 'bruno');
    await look(page, 'no plan, and why somebody is here');
    await chooseOnShelf(page, 'monthly');
    await look(page, 'the order');
    await orderIt(page);
    await lookAtStandIn(page, 'the payment page');
    await payWith(page, 'monthly', 'declined');
    await lookAtStandIn(page, 'the payment page after a card was declined');
    await payWith(page, 'monthly', 'asksToConfirm');
    await lookAtStandIn(page, 'the question of the bank');
    await page.getByRole('button', { name: 'Rifiuta' }).click();
    await page.getByRole('link', { name: 'Torna a Rimedio' }).click();
    await expect(page.getByText(TURNED_BACK)).toBeVisible();
    await look(page, 'turned back');

    await buy(page, 'trial');
    await look(page, 'the trial, just paid');
    await page.goto('/account/ordine?plan=trial');
    await page.getByRole('button', { name: 'Ordina e paga' }).click();
    await expect(page.getByRole('alert')).toBeVisible();
    await look(page, 'an order that is refused');
  });

  test('a plan that is cancelled, and withdrawn from', async ({ page }) => {
    await signIn(page, 'bruno');
    await buy(page, 'trial');
    await buy(page, 'monthly', 'good', { immediateStart: true });
    await look(page, 'a plan that renews itself, just paid');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Cancella abbonamento' }).click();
    await expect(page.getByText('Cancellazione a fine periodo')).toBeVisible();
    await look(page, 'a plan that is cancelled');

    await page.getByRole('link', { name: 'Recedi dal contratto qui' }).click();
    await expect(page.getByRole('group', { name: 'Da quale contratto vuoi recedere?' })).toBeVisible();
    await page.getByLabel('Nome e cognome').fill('');
    await page.getByRole('button', { name: 'Conferma recesso' }).click();
    await expect(page.getByText('Scrivi il tuo nome e cognome.')).toBeVisible();
    await look(page, 'two contracts to withdraw from, and a name that is missing');
    await page.getByLabel('Nome e cognome').fill('Bruno Conti');
    await page.getByRole('radio', { name: new RegExp(PLANS.monthly.name) }).check();
    await page.getByRole('button', { name: 'Conferma recesso' }).click();
    await expect(page.getByText('Recesso fatto')).toBeVisible();
    await look(page, 'the receipt');
    await page.reload();
    await page.getByRole('button', { name: new RegExp(`^${PLANS.monthly.name},`) }).click();
    await look(page, 'a receipt of earlier');
  });

  test('a payment that needs its holder, and a plan that has stopped', async ({ page, context, town }) => {
    await signIn(page, 'bruno');
    await buy(page, 'monthly', 'asksToConfirm');
    const bought = await statusOf(page);
    const bench = await Bench.open(context, town);
    await bench.moveToRenewal(bought);
    await comeBack(page, 'bruno', { status: 'past_due' });
    await expect(page.getByText('Conferma il pagamento').first()).toBeVisible();
    await look(page, 'a renewal that the bank wants confirmed');
    const invoice = await besides(page, () => page.getByRole('link', { name: /^Conferma il pagamento/ }).click());
    await lookAtStandIn(invoice, 'the invoice');
    await invoice.getByRole('button', { name: 'Rifiuta' }).click();
    await lookAtStandIn(invoice, 'the invoice that was refused');
    await invoice.close();
    await bench.moveOn(4);
    await comeBack(page, 'bruno');
    await expect(slip(page)).toContainText('Il servizio si è fermato');
    await look(page, 'a plan that has stopped because nobody paid');
  });

  test('the portal', async ({ page }) => {
    await signIn(page, 'anna');
    await page.goto('/account/subscription');
    const portal = await besides(page, () => page.getByRole('button', { name: 'Gestisci pagamenti' }).click());
    await expect(heading(portal, 'Il tuo abbonamento')).toBeVisible();
    await lookAtStandIn(portal, 'the portal');
    await portal.getByRole('button', { name: "Disdici l'abbonamento" }).click();
    await expect(portal.getByText("L'abbonamento non si rinnova più.")).toBeVisible();
    await lookAtStandIn(portal, 'the portal of whom has cancelled');
  });

  test('the bench', async ({ context, town }) => {
    const bench = await Bench.open(context, town);
    await lookAtStandIn(bench.page, 'the bench');
    await bench.of('anna').getByRole('button', { name: 'Apri una contestazione' }).click();
    await bench.of('carla').getByRole('button', { name: 'Rimborsa 95,90 €' }).click();
    await lookAtStandIn(bench.page, 'the bench with a refund and a dispute');
  });

  test('the return address of a checkout and the two pages to try the payments on', async ({ page }) => {
    await page.goto('/stripe-test-simple');
    await page.getByRole('button', { name: PLANS.annual.action }).click();
    await payWith(page, 'annual', 'good');
    await expect(page.getByText('Pagamento completato con successo! Piano Annuale.')).toBeVisible();
    await look(page, 'the test without a sign-in, paid');

    await signIn(page, 'bruno');
    await page.goto('/payment-success?plan=monthly');
    await expect(page.getByText('Non vediamo un pagamento nuovo.')).toBeVisible();
    await look(page, 'a return without a payment');
    await page.goto('/stripe-test');
    await expect(page.getByText('Nessun Piano').first()).toBeVisible();
    await page.getByRole('button', { name: PLANS.monthly.action }).click();
    await payWith(page, 'monthly', 'good');
    await expect(page.getByText(PAID)).toBeVisible();
    await expect(page).toHaveURL(/\/stripe-test$/);
    await expectStatus(page, { status: 'active', plan_type: 'monthly' });
    await look(page, 'the test with a sign-in, paid');
    await page.goto('/payment-success?plan=monthly');
    await expect(page.getByText(PAID)).toBeVisible();
    await look(page, 'the return from a payment');
    await page.getByRole('link', { name: "Vai all'assistente" }).click();
    await expect(heading(page, /Come posso aiutarti/)).toBeVisible();
  });
});
