// What comes after the purchase: renewals, cancelling and taking it back, payments that fail, a refund. The clock of the
// town is moved on the bench of the stand-in for Stripe.

import {
  Bench,
  PLANS,
  besides,
  buy,
  comeBack,
  dayText,
  expectNoPlan,
  expectPlan,
  expectStatus,
  heading,
  payWith,
  slip,
  statusOf,
  usageStatus,
} from './payment-steps.ts';
import { expect, signIn, testAlone as test } from './town.ts';

const CANCEL_QUESTION = 'Sei sicuro di voler cancellare il tuo abbonamento? Avrai accesso fino alla fine del periodo corrente.';
const CANCELLED = 'Abbonamento cancellato con successo. Avrai accesso fino alla fine del periodo corrente.';
const DAY = 86_400_000;

test.describe('after the purchase', () => {
  test('cancelled, a plan lasts to the end of its period and no longer', async ({ page, context, town }) => {
    await signIn(page, 'anna');
    await page.goto('/account/subscription');
    await expect(slip(page)).toContainText('Si rinnova il');
    const cancel = page.getByRole('button', { name: 'Cancella abbonamento' });

    // Dismissed: nothing happens.
    const asked: string[] = [];
    page.once('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await cancel.click();
    expect(asked).toEqual([CANCEL_QUESTION]);
    await expect(cancel).toBeVisible();
    expect(await statusOf(page)).toMatchObject({ cancel_at_period_end: false, can_cancel: true });

    page.once('dialog', (dialog) => void dialog.accept());
    await cancel.click();
    await expect(page.getByText(CANCELLED)).toBeVisible();
    await expect(page.getByText('Cancellazione a fine periodo')).toBeVisible();
    const status = await statusOf(page);
    expect(status).toMatchObject({ status: 'active', cancel_at_period_end: true, can_cancel: false });
    // Nothing is granted beyond what was paid.
    expect(status.access_until).toBe(status.current_period_end);
    await expect(slip(page)).toContainText(`Finisce il${dayText(status.current_period_end)}`);
    await expect(cancel).toBeHidden();
    await expect(page.getByRole('button', { name: 'Gestisci pagamenti' })).toBeHidden();
    await expect(page.getByRole('button', { name: 'Ho cambiato idea: riattiva il piano' })).toBeVisible();
    await expect(page.getByText('Puoi prenderlo quando finisce il piano che hai.')).toBeVisible();
    await page.getByRole('button', { name: /^Menu di/ }).click();
    await expect(page.getByRole('banner').getByText(`Finisce il ${dayText(status.current_period_end)}`)).toBeVisible();
    await page.goto('/app');
    await expect(heading(page, /Come posso aiutarti/)).toBeVisible();

    const bench = await Bench.open(context, town);
    await bench.moveOn(32);
    await comeBack(page, 'anna');
    await expectNoPlan(page);
    await expect(slip(page)).toContainText(`Il tuo piano è finito il ${dayText(status.current_period_end)}.`);
    await bench.page.reload();
    await expect(bench.of('anna')).toContainText('finito');
    await buy(page, 'annual');
    await expectPlan(page, 'annual');
  });

  test('cancelling is taken back in the portal', async ({ page }) => {
    await signIn(page, 'anna');
    await page.goto('/account/subscription');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Cancella abbonamento' }).click();
    await expect(page.getByText(CANCELLED)).toBeVisible();

    const portal = await besides(page, () => page.getByRole('button', { name: 'Ho cambiato idea: riattiva il piano' }).click());
    await expect(heading(portal, 'Il tuo abbonamento')).toBeVisible();
    await portal.getByRole('button', { name: 'Riattiva il rinnovo' }).click();
    await expect(portal.getByRole('status')).toHaveText("L'abbonamento si rinnova di nuovo.");
    await portal.getByRole('link', { name: 'Torna a Rimedio' }).click();
    await expect(slip(portal)).toContainText('Si rinnova il');
    await expect(portal.getByText('Cancellazione a fine periodo')).toBeHidden();
    await portal.close();

    // The page that waited behind the portal notices as soon as it is looked at.
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await expect(slip(page)).toContainText('Si rinnova il');
    await expect(page.getByText('Cancellazione a fine periodo')).toBeHidden();
    await expect(page.getByText(CANCELLED), 'it is no longer so').toBeHidden();
    await expect(page.getByRole('button', { name: 'Cancella abbonamento' })).toBeVisible();
    expect(await statusOf(page)).toMatchObject({ cancel_at_period_end: false, can_cancel: true, can_manage: true });
  });

  test('from the monthly to the annual plan in the portal', async ({ page }) => {
    await signIn(page, 'anna');
    await page.goto('/account/subscription');
    const portal = await besides(page, () => page.getByRole('button', { name: 'Gestisci pagamenti' }).click());
    await portal.getByRole('button', { name: 'Passa a Piano Annuale' }).click();
    await expect(portal.getByRole('status')).toHaveText('Il piano è cambiato.');
    await portal.getByRole('link', { name: 'Torna a Rimedio' }).click();
    await expect(slip(portal)).toContainText('Piano Annuale ATTIVO');
    await expectPlan(portal, 'annual');
  });

  test('a renewal that the bank wants confirmed', async ({ page, context, town }) => {
    await signIn(page, 'bruno');
    await buy(page, 'monthly', 'asksToConfirm');
    const bought = await statusOf(page);
    const bench = await Bench.open(context, town);
    await bench.moveToRenewal(bought);
    await comeBack(page, 'bruno', { status: 'past_due' });
    await expect(slip(page)).toContainText('Pagamento da sistemare');
    await expect(page.getByText("Per l'ultimo rinnovo la tua banca chiede una conferma.")).toBeVisible();
    const status = await statusOf(page);
    expect(status).toMatchObject({ status: 'past_due', is_active: true, payment_problem: 'bank_confirmation' });
    expect(Date.parse(status.access_until)).toBe(Date.parse(bought.current_period_end) + 3 * DAY);
    await expect(page.getByText(`Puoi usare il servizio fino al ${dayText(status.access_until)}.`)).toBeVisible();
    await page.getByRole('button', { name: /^Menu di/ }).click();
    await expect(page.getByRole('link', { name: "C'è un pagamento da sistemare" })).toBeVisible();
    await page.keyboard.press('Escape');

    const invoice = await besides(page, () => page.getByRole('link', { name: /^Conferma il pagamento/ }).click());
    await expect(heading(invoice, 'Fattura di Rimedio')).toBeVisible();
    await invoice.getByRole('button', { name: 'Conferma' }).click();
    await expect(invoice.getByText('Questa fattura è pagata.')).toBeVisible();
    await invoice.close();
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await expect(page.getByText('Conferma il pagamento')).toHaveCount(0);
    await expectPlan(page, 'monthly');
  });

  test('a renewal that fails: told, some days of grace, then no access until it is paid', async ({ page, context, town }) => {
    await signIn(page, 'bruno');
    await buy(page, 'monthly', 'failsLater');
    const bench = await Bench.open(context, town);
    await bench.moveToRenewal(await statusOf(page));
    await comeBack(page, 'bruno', { status: 'past_due' });
    await expect(page.getByText("L'ultimo pagamento non è riuscito")).toBeVisible();
    const status = await statusOf(page);
    expect(status).toMatchObject({ status: 'past_due', is_active: true, payment_problem: 'payment_failed' });
    await expect(page.getByText(`Puoi usare il servizio fino al ${dayText(status.access_until)}.`)).toBeVisible();
    await page.getByRole('link', { name: "Vai all'assistente" }).click();
    await expect(heading(page, /Come posso aiutarti/)).toBeVisible();

    await bench.moveOn(4);
    await expectNoPlan(page);
    await expect(slip(page)).toContainText(`Il tuo piano è finito il ${dayText(status.access_until)}.`);

    await expect(page.getByText(`Il servizio si è fermato il ${dayText(status.access_until)}. Riparte appena il pagamento riesce.`)).toBeVisible();

    // Stripe still waits for this payment: no other plan can be bought, so the way to pay must be here.
    await expect(page.getByText('Prima completa il pagamento in sospeso, qui sopra.')).toHaveCount(2);
    await expect(page.getByRole('link', { name: PLANS.annual.action })).toBeHidden();
    await page.goto('/account/ordine?plan=monthly');
    await page.getByRole('button', { name: 'Ordina e paga' }).click();
    await expect(page.getByRole('alert')).toContainText('Il tuo piano aspetta un pagamento.');
    await page.getByRole('link', { name: 'Vai al tuo abbonamento' }).click();
    const invoice = await besides(page, () => page.getByRole('link', { name: /^Paga adesso/ }).click());
    await payWith(invoice, 'monthly', 'declined');
    await expect(invoice.getByRole('alert')).toContainText('La carta è stata rifiutata.');
    await payWith(invoice, 'monthly', 'good');
    await expect(invoice.getByText('Questa fattura è pagata.')).toBeVisible();
    await invoice.close();
    await expectStatus(page, { status: 'active' });
    await page.reload();
    await expectPlan(page, 'monthly');
  });

  test('a refund ends the plan', async ({ page, context, town }) => {
    await signIn(page, 'anna');
    await page.goto('/account/subscription');
    await expect(slip(page)).toContainText(`${PLANS.monthly.name} ATTIVO`);
    const bench = await Bench.open(context, town);
    await bench.of('anna').getByRole('button', { name: 'Rimborsa 9,99 €' }).click();
    await expect(bench.of('anna')).toContainText('rimborsato');
    await expectStatus(page, { status: 'ended', is_active: false, can_cancel: false });
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await expect(slip(page)).toContainText('Nessun Piano');
    await expect(slip(page)).toContainText('Il tuo piano è finito il');
    await expect(page.getByRole('link', { name: 'Recedi dal contratto qui' })).toBeHidden();
    await expectNoPlan(page);
    await bench.page.reload();
    await expect(bench.of('anna').getByText(/^Piano Mensile: finito/)).toBeVisible();
  });

  test('a dispute that is lost ends the plan', async ({ page, context, town }) => {
    await signIn(page, 'anna');
    const bench = await Bench.open(context, town);
    await bench.of('anna').getByRole('button', { name: 'Apri una contestazione' }).click();
    await expect(bench.of('anna')).toContainText('contestato');
    expect(await usageStatus(page), 'as long as it is open, nobody is shut out').toBe(200);
    await bench.of('anna').getByRole('button', { name: 'Perdi la contestazione' }).click();
    await expectStatus(page, { status: 'ended', is_active: false });
    await expectNoPlan(page);
  });

  test('the trial ends by itself', async ({ page, context, town }) => {
    await signIn(page, 'bruno');
    await buy(page, 'trial');
    const { current_period_end } = await statusOf(page);
    const bench = await Bench.open(context, town);
    await bench.moveOn(7);
    await expectNoPlan(page);
    await expect(slip(page)).toContainText(`Il tuo piano è finito il ${dayText(current_period_end)}.`);
    await expect(page.getByText('La prova si fa una volta sola, per cominciare.')).toBeVisible();
    await expect(page.getByRole('link', { name: PLANS.trial.action })).toBeHidden();
  });
});
