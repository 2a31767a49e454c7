import { act, render, screen } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import firstPaint from '../../public/first-paint.js?raw';
import { TEXT_SIZES, useTextSize } from './text-size';
import { useTheme } from './theme';

/** The operating system's preference, which the test may change. */
class System extends EventTarget {
  matches = false;
  change(dark: boolean) {
    this.matches = dark;
    this.dispatchEvent(new Event('change'));
  }
}

let system: System;
const root = document.documentElement;
/** Runs the script of the first paint as the browser does before anything is drawn. */
const paint = () => new Function(firstPaint)() as void;

function Switch() {
  const { theme, choose } = useTheme();
  return <button onClick={() => choose(theme === 'dark' ? 'light' : 'dark')}>{theme}</button>;
}

beforeEach(() => {
  system = new System();
  vi.stubGlobal('matchMedia', () => system);
});
afterEach(() => {
  vi.unstubAllGlobals();
  root.className = '';
  delete root.dataset.textSize;
});

describe('the theme', () => {
  it.each([
    [null, false, 'light'],
    [null, true, 'dark'],
    ['light', true, 'light'],
    ['dark', false, 'dark'],
    ['purple', true, 'dark'],
  ])('saved %s, system dark %s: shows %s, already at the first paint', (saved, dark, shown) => {
    if (saved) localStorage.setItem('theme', saved);
    system.matches = dark;
    paint();
    expect(root.classList.contains('dark')).toBe(shown === 'dark');
    root.className = '';
    render(<Switch />);
    expect(screen.getByRole('button').textContent).toBe(shown);
    expect(root.classList.contains('dark')).toBe(shown === 'dark');
  });

  it('follows the system as long as nothing was chosen', () => {
    render(<Switch />);
    act(() => system.change(true));
    expect(root.classList.contains('dark')).toBe(true);
    expect(localStorage.getItem('theme')).toBeNull();
    act(() => screen.getByRole('button').click());
    expect(localStorage.getItem('theme')).toBe('light');
    act(() => system.change(false));
    act(() => system.change(true));
    expect(root.classList.contains('dark')).toBe(false);
  });

  it('follows a choice made in another tab', () => {
    render(<Switch />);
    localStorage.setItem('theme', 'dark');
    act(() => void dispatchEvent(new StorageEvent('storage', { key: 'theme', newValue: 'dark' })));
    expect(root.classList.contains('dark')).toBe(true);
  });
});

describe('the text size', () => {
  function Sizes() {
    const { size, choose } = useTextSize();
    return (
      <>
        <p>{size}</p>
        {TEXT_SIZES.map((one) => (
          <button key={one} onClick={() => choose(one)}>
            {`to ${one}`}
          </button>
        ))}
      </>
    );
  }

  it('is remembered, and stands already at the first paint', () => {
    render(<Sizes />);
    for (const size of TEXT_SIZES) {
      act(() => screen.getByText(`to ${size}`).click());
      const expected = size === 100 ? undefined : String(size);
      expect(root.dataset.textSize).toBe(expected);
      delete root.dataset.textSize;
      paint();
      expect(root.dataset.textSize).toBe(expected);
    }
  });

  it('is the normal one when what was saved makes no sense', () => {
    localStorage.setItem('text_size', '1000');
    paint();
    render(<Sizes />);
    expect(root.dataset.textSize).toBeUndefined();
  });
});
