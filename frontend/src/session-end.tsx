// Where a person goes when the session ends while a page is open: from the assistant and from an order to the sign-in,
// because they want to go on; from anywhere else to the home page. Who is at the sign-in already stays, with the plan
// that the address names.

import { useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';

import { signInAddress } from './plans';
import { useSession } from './session';

const GOING_ON = /^\/(app|richieste|account\/ordine)(\/|$)/;

export function SessionEnd() {
  const { state } = useSession();
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const before = useRef(state);
  useEffect(() => {
    const ended = before.current === 'signed-in' && state === 'anonymous';
    before.current = state;
    if (ended && pathname !== '/login') navigate(GOING_ON.test(pathname) ? signInAddress({ pathname, search }) : '/', { replace: true });
  }, [state, pathname, search, navigate]);
  return null;
}
