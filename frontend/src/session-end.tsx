// Where a person goes when the session ends while a page is open: from the assistant to the sign-in, because they want
// to go on; from anywhere else to the home page.

import { useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';

import { useSession } from './session';

const ASSISTANT = /^\/(app|richieste)(\/|$)/;

export function SessionEnd() {
  const { state } = useSession();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const before = useRef(state);
  useEffect(() => {
    const ended = before.current === 'signed-in' && state === 'anonymous';
    before.current = state;
    if (ended) navigate(ASSISTANT.test(pathname) ? '/login' : '/', { replace: true });
  }, [state, pathname, navigate]);
  return null;
}
