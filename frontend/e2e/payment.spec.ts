// Buying a plan, with every card and every way of turning back.

import {
  AWAITED,
  Bench,
  CARDS,
  PAID,
  PLANS,
  TURNED_BACK,
  buy,
  chooseOnShelf,
  expectPlan,
  heading,
  orderIt,
  payWith,
  slip,
  statusOf,
  usageStatus,
  type PlanName,
} from './payment-steps.ts';
import { choosePerson, expect, giveConsent, signIn, testAlone as test } from './town.ts';
import type { Locator, Page } from '@playwright/test';

test.describe('buying a plan', () => {
  for (const plan of Object.keys(PLANS) as PlanName[]) {
    test(`${plan}: ordered, paid with a good card, and active on return`, async ({ page }) => {
      await signIn(page, 'bruno');
      await chooseOnShelf(page, plan);
      await orderIt(page);
      await expect(page.getByText(PLANS[plan].name)).toBeVisible();
      await payWith(page, plan, 'good');
      await expect(page.getByText(PAID)).toBeVisible();
      await expect(page).toHaveURL(/\/account\/subscription$/);
      await expectPlan(page, plan);

      // A reload says nothing twice.
      await page.goto('/account/subscription');
      await expect(slip(page)).toContainText(PLANS[plan].name);
      await expect(page.getByText(PAID)).toBeHidden();
    });
  }

  test('a card that asks the bank: confirmed, it pays', async ({ page }) => {
    await signIn(page, 'bruno');
    await chooseOnShelf(page, 'monthly');
    await orderIt(page);
    await payWith(page, 'monthly', 'asksToConfirm');
    await expect(heading(page, 'La banca chiede conferma')).toBeVisible();
    await page.getByRole('button', { name: 'Conferma' }).click();
    await expect(page.getByText(PAID)).toBeVisible();
    await expectPlan(page, 'monthly');
  });

  test('a card that asks the bank: refused there, nothing is bought and one can turn back', async ({ page }) => {
    await signIn(page, 'bruno');
    await chooseOnShelf(page, 'monthly');
    await orderIt(page);
    await payWith(page, 'monthly', 'asksToConfirm');
    await page.getByRole('button', { name: 'Rifiuta' }).click();
    await expect(page.getByRole('alert')).toContainText('Il pagamento non è stato confermato. Non hai pagato nulla.');
    await expect(page.getByLabel('Numero della carta di prova')).toHaveValue(CARDS.asksToConfirm);
    await page.getByRole('link', { name: 'Torna a Rimedio' }).click();
    await expect(page.getByText(TURNED_BACK)).toBeVisible();
    await expect(page).toHaveURL(/\/account\/subscription$/);
    await expect(slip(page)).toContainText('Nessun Piano');
    expect(await statusOf(page)).toMatchObject({ status: 'none', is_active: false, trial_available: true, payment_pending: false });
    expect(await usageStatus(page)).toBe(402);

    // Whoever tries again finds the same page, and can pay on it.
    await buy(page, 'monthly');
    await expectPlan(page, 'monthly');
  });

  test('a card that is declined, then a good one', async ({ page }) => {
    await signIn(page, 'bruno');
    await chooseOnShelf(page, 'annual');
    await orderIt(page);
    await payWith(page, 'annual', 'declined');
    await expect(page.getByRole('alert')).toContainText("La carta è stata rifiutata. Non hai pagato nulla. Prova con un'altra carta.");
    expect(await usageStatusElsewhere(page)).toBe(402);
    await payWith(page, 'annual', 'good');
    await expect(page.getByText(PAID)).toBeVisible();
    await expectPlan(page, 'annual');
  });

  test('the trial is refused a second time, with the way to the other plans', async ({ page }) => {
    await signIn(page, 'bruno');
    await buy(page, 'trial');
    await expect(page.getByText('La prova si fa una volta sola')).toBeHidden();
    await page.goto('/account/ordine?plan=trial');
    await page.getByRole('button', { name: 'Ordina e paga' }).click();
    const refusal = page.getByRole('alert');
    await expect(refusal).toContainText('Hai già usato la prova. Puoi scegliere il piano mensile o quello annuale.');
    // It takes the focus, so that the way out is the next thing that the Tab key reaches.
    await expect(refusal.locator('..')).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Guarda gli altri piani' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/account\/subscription#plans$/);
    await expect(page.getByRole('link', { name: PLANS.monthly.action })).toBeInViewport();
  });

  test('a second plan is refused, with the way to the one that is held', async ({ page }) => {
    await signIn(page, 'anna');
    await page.goto('/account/subscription');
    await expect(page.getByText('Per cambiare piano premi “Gestisci pagamenti”, qui sopra.')).toBeVisible();
    await expect(page.getByRole('link', { name: PLANS.annual.action })).toBeHidden();
    await page.goto('/account/ordine?plan=annual');
    await page.getByRole('button', { name: 'Ordina e paga' }).click();
    await expect(page.getByRole('alert')).toContainText('Hai già un piano attivo.');
    await page.getByRole('link', { name: 'Vai al tuo abbonamento' }).click();
    await expect(slip(page)).toContainText('Piano Mensile ATTIVO');
  });

  test('from the trial to the monthly plan', async ({ page }) => {
    await signIn(page, 'bruno');
    await buy(page, 'trial');
    await expect(slip(page)).toContainText('Finisce il');
    // The trial ends by itself: there is nothing to cancel or to manage.
    await expect(page.getByRole('button', { name: 'Cancella abbonamento' })).toBeHidden();
    await expect(page.getByRole('button', { name: 'Gestisci pagamenti' })).toBeHidden();
    await buy(page, 'monthly');
    await expect(page.getByRole('button', { name: 'Cancella abbonamento' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Gestisci pagamenti' })).toBeVisible();
    await expect(page.getByText('La prova si fa una volta sola, per cominciare.')).toBeVisible();
    await expectPlan(page, 'monthly');
  });

  test('the plan that was chosen before the sign-in is there after it', async ({ page }) => {
    await page.goto('/login?plan=annual');
    await page.getByRole('link', { name: 'Accedi con Google' }).click();
    await choosePerson(page, 'bruno');
    await giveConsent(page);
    await expect(page).toHaveURL(/\/account\/ordine\?plan=annual$/);
    await expect(page.getByRole('heading', { level: 2, name: PLANS.annual.name })).toBeVisible();
    await orderIt(page);
    await payWith(page, 'annual', 'good');
    await expect(page.getByText(PAID)).toBeVisible();
    await expectPlan(page, 'annual');
  });

  test('without any message of Stripe the return page still becomes active by itself', async ({ page, context, town }) => {
    await signIn(page, 'bruno');
    await chooseOnShelf(page, 'monthly');
    await orderIt(page);
    const bench = await Bench.open(context, town);
    await bench.press('Smetti di consegnare gli avvisi');
    await payWith(page, 'monthly', 'good');
    await expect(page.getByText(PAID)).toBeVisible();
    await expectPlan(page, 'monthly');
  });

  test('while Stripe does not answer the payment is awaited, and nobody is told that there is no plan', async ({ page, context, town }) => {
    await signIn(page, 'bruno');
    await chooseOnShelf(page, 'monthly');
    await orderIt(page);
    const bench = await Bench.open(context, town);
    await bench.press('Smetti di consegnare gli avvisi');
    await bench.press('Non far rispondere Stripe');
    await payWith(page, 'monthly', 'good');
    await expect(page.getByText(AWAITED)).toBeVisible();
    await expect(page.getByText('Nessun Piano')).toHaveCount(0);
    await expect(page.getByRole('link', { name: PLANS.monthly.action })).toBeHidden();
    await bench.press('Fai rispondere di nuovo Stripe');
    await expect(page.getByText(PAID)).toBeVisible();
    await expectPlan(page, 'monthly');
  });

  test('the keyboard alone is enough, there and back', async ({ page }) => {
    await signIn(page, 'bruno');
    await expect(page.getByRole('link', { name: PLANS.monthly.action })).toBeVisible();
    const orderByKeyboard = async () => {
      await tabTo(page, page.getByRole('main').getByRole('link', { name: PLANS.monthly.action }));
      await page.keyboard.press('Enter');
      await expect(heading(page, 'Controlla il tuo ordine')).toBeFocused();
      await tabTo(page, page.getByLabel(/Chiedo che il servizio cominci subito/));
      await page.keyboard.press('Space');
      await expect(page.getByLabel(/Chiedo che il servizio cominci subito/)).toBeChecked();
      await tabTo(page, page.getByRole('button', { name: 'Ordina e paga' }));
      await page.keyboard.press('Enter');
      await expect(heading(page, 'Paga il tuo piano')).toBeVisible();
    };
    await orderByKeyboard();
    await tabTo(page, page.getByRole('link', { name: 'Torna a Rimedio' }));
    await page.keyboard.press('Enter');
    await expect(page.getByText(TURNED_BACK)).toBeVisible();

    await orderByKeyboard();
    await tabTo(page, page.getByRole('link', { name: /La banca chiede conferma/ }));
    await page.keyboard.press('Enter');
    await expect(page.getByLabel('Numero della carta di prova')).toHaveValue(CARDS.asksToConfirm);
    await tabTo(page, page.getByRole('button', { name: PLANS.monthly.pay }));
    await page.keyboard.press('Enter');
    await expect(heading(page, 'La banca chiede conferma')).toBeVisible();
    await tabTo(page, page.getByRole('button', { name: 'Conferma' }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('status').filter({ hasText: PAID })).toBeVisible();
    await tabTo(page, page.getByRole('link', { name: "Vai all'assistente" }));
    await page.keyboard.press('Enter');
    await expect(heading(page, /Come posso aiutarti/)).toBeVisible();
  });
});

/** Moves on with the Tab key until something has the focus; what it never reaches fails. */
async function tabTo(page: Page, target: Locator) {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  await expect(target, 'reached by the Tab key').toBeFocused();
}

/** The payment page has no token: the answer comes from another tab of ours. */
async function usageStatusElsewhere(page: Page): Promise<number> {
  const ours = await page.context().newPage();
  await ours.goto('/faq');
  const status = await usageStatus(ours);
  await ours.close();
  return status;
}
