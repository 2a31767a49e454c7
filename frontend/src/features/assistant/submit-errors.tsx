// What is said when an answer does not come, in the specification's words and for as long as it says.

import type { NavigateFunction } from 'react-router-dom';
import { Link } from 'react-router-dom';
import toast from 'react-hot-toast/headless';

import type { Problem } from '../../api/problem';

/** Milliseconds. */
export const LIMIT_SHOWN = 6_000;
export const UPGRADE_AFTER = 1_000;
export const UPGRADE_SHOWN = 10_000;
export const REDIRECT_AFTER = 2_000;

const PLANS = '/account/subscription';
const DEFAULT_TEXT = 'Si è verificato un errore. Riprova più tardi.';

/** Tells of the failure and leads on where that helps. @returns what to show beside the form. */
export function tellSubmitError(problem: Problem, navigate: NavigateFunction): string | undefined {
  if (problem.status === 429) {
    const text = problem.detail || 'Limite di utilizzo raggiunto';
    toast.error(text, { duration: LIMIT_SHOWN });
    if (text.includes('Upgrade')) setTimeout(() => toast.custom(<UpgradeCard />, { duration: UPGRADE_SHOWN }), UPGRADE_AFTER);
    return text;
  }
  if (problem.status === 402) {
    toast.error('È richiesta una sottoscrizione attiva per utilizzare questo servizio.', { duration: LIMIT_SHOWN });
    setTimeout(() => void navigate(PLANS), REDIRECT_AFTER);
    return undefined;
  }
  // The session has noticed, and the page is about to change.
  if (problem.status === 401) return undefined;
  toast.error(DEFAULT_TEXT);
  // What the server says of a picture or a text tells what to do next.
  return problem.status >= 400 && problem.status < 500 ? problem.detail : DEFAULT_TEXT;
}

function UpgradeCard() {
  return (
    <div>
      <p>Hai raggiunto il limite del tuo piano.</p>
      <p>
        <Link to={PLANS}>Aggiorna Piano</Link>
      </p>
    </div>
  );
}
