import toast from 'react-hot-toast/headless';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import { Problem } from '../../api/problem';
import { LIMIT_SHOWN, REDIRECT_AFTER, UPGRADE_AFTER, UPGRADE_SHOWN, tellSubmitError } from './submit-errors';

const problem = (status: number, detail: string) => new Problem({ status, code: 'x', detail });

describe('an answer that does not come', () => {
  const navigate = vi.fn();
  beforeEach(() => {
    vi.useFakeTimers();
    navigate.mockReset();
    vi.spyOn(toast, 'error').mockReturnValue('1');
    vi.spyOn(toast, 'custom').mockReturnValue('2');
    return () => vi.useRealTimers();
  });

  it('because of a limit is told in the words of the server for 6 seconds', () => {
    expect(tellSubmitError(problem(429, 'Hai finito le richieste.'), navigate)).toBe('Hai finito le richieste.');
    expect(toast.error).toHaveBeenCalledWith('Hai finito le richieste.', { duration: LIMIT_SHOWN });
    vi.advanceTimersByTime(60_000);
    expect(toast.custom).not.toHaveBeenCalled();
  });

  it('because of a limit without words has its own', () => {
    expect(tellSubmitError(problem(429, ''), navigate)).toBe('Limite di utilizzo raggiunto');
  });

  it('because of a limit that a larger plan lifts shows the way after a second, for ten', () => {
    tellSubmitError(problem(429, 'Fai un Upgrade.'), navigate);
    vi.advanceTimersByTime(UPGRADE_AFTER - 1);
    expect(toast.custom).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(toast.custom).toHaveBeenCalledWith(expect.anything(), { duration: UPGRADE_SHOWN });
  });

  it('for want of a plan leads to the plans after 2 seconds', () => {
    expect(tellSubmitError(problem(402, ''), navigate)).toBeUndefined();
    expect(toast.error).toHaveBeenCalledWith('È richiesta una sottoscrizione attiva per utilizzare questo servizio.', { duration: LIMIT_SHOWN });
    vi.advanceTimersByTime(REDIRECT_AFTER);
    expect(navigate).toHaveBeenCalledWith('/account/subscription');
  });

  it('for any other reason says so, and what the server says of the input', () => {
    expect(tellSubmitError(problem(500, 'x'), navigate)).toBe('Si è verificato un errore. Riprova più tardi.');
    expect(tellSubmitError(problem(415, 'Scegli un JPG.'), navigate)).toBe('Scegli un JPG.');
    expect(toast.error).toHaveBeenCalledWith('Si è verificato un errore. Riprova più tardi.');
  });
});
