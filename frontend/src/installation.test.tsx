import { act, render, screen } from '@testing-library/preact';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { InstallationProvider, RETRIES, useInstallation } from './installation';
import { startServer } from './test-server';

const ABOUT = 'GET /api/v1/about';

function Shown() {
  const { state, about } = useInstallation();
  return (
    <p>
      {state} {about?.name}
    </p>
  );
}

const pass = (milliseconds: number) =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(milliseconds);
  });

const open = () =>
  render(
    <InstallationProvider>
      <Shown />
    </InstallationProvider>,
  );

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('is asked once when all is well', async () => {
  const server = startServer({ [ABOUT]: { body: { name: 'Rimedio' } } });
  open();
  await pass(0);
  expect(screen.getByText('known Rimedio')).toBeTruthy();
  await pass(60_000);
  expect(server.asked).toEqual([ABOUT]);
});

it('is asked again, ever more slowly, as long as the server cannot be reached, and known as soon as it can', async () => {
  const server = startServer({ [ABOUT]: new Error('the line is down') });
  open();
  await pass(0);
  for (const [index, wait] of [...RETRIES, RETRIES[RETRIES.length - 1] ?? 0].entries()) {
    expect(screen.getByText('unreachable')).toBeTruthy();
    expect(server.asked).toHaveLength(index + 1);
    await pass(wait - 1);
    expect(server.asked).toHaveLength(index + 1);
    await pass(1);
  }
  server.answers[ABOUT] = { body: { name: 'Rimedio' } };
  act(() => void dispatchEvent(new Event('online')));
  await pass(0);
  expect(screen.getByText('known Rimedio')).toBeTruthy();
});
