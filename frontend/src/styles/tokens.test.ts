import { describe, expect, it } from 'vitest';

import source from './tokens.css?raw';

type Palette = Map<string, string>;

function block(selector: string): string {
  const start = source.indexOf(`${selector} {`);
  return source.slice(start, source.indexOf('}', start));
}

function palette(text: string): Palette {
  return new Map([...text.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name ?? '', value ?? '']));
}

/** Relative luminance, WCAG 2.2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => parseInt(colour.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Each `12.34 on name` and `behind name: 12.34` that the file claims. */
function claims(text: string): { colour: string; other: string; figure: number }[] {
  return text.split('\n').flatMap((line) => {
    const colour = /--([a-z-]+): #/.exec(line)?.[1];
    const comment = /\/\*(.*)\*\//.exec(line)?.[1];
    if (!colour || !comment) return [];
    const on = [...comment.matchAll(/([\d.]+\d) on ([a-z-]+)/g)].map(([, figure, other]) => ({ other, figure }));
    const behind = [...comment.matchAll(/behind ([a-z-]+): ([\d.]+\d)/g)].map(([, other, figure]) => ({ other, figure }));
    return [...on, ...behind].map(({ other, figure }) => ({ colour, other: other ?? '', figure: Number(figure) }));
  });
}

const themes = [
  { theme: 'light', text: block(':root') },
  { theme: 'dark', text: block(':root.dark') },
];

/** What people read: at least 7:1 (AAA). */
const BODY: [string, string][] = [
  ['ink', 'paper'], ['ink', 'sheet'], ['ink', 'well'], ['ink', 'accent-wash'],
  ['ink-quiet', 'paper'], ['ink-quiet', 'sheet'], ['ink-quiet', 'well'],
  ['accent', 'paper'], ['accent', 'sheet'], ['accent', 'accent-wash'], ['accent-strong', 'paper'], ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
  ['ink', 'success-wash'], ['ink', 'information-wash'], ['ink', 'warning-wash'], ['ink', 'danger-wash'],
  ['success', 'success-wash'], ['information', 'information-wash'], ['warning', 'warning-wash'], ['danger', 'danger-wash'],
  ['danger', 'paper'], ['danger', 'sheet'], ['on-danger', 'danger'],
];
/** What bounds or marks something that can be used: at least 3:1 (WCAG 1.4.11). */
const INTERFACE: [string, string][] = [
  ['edge', 'paper'], ['edge', 'sheet'], ['focus', 'paper'], ['focus', 'sheet'],
  ['plan-trial', 'paper'], ['plan-trial', 'sheet'], ['plan-monthly', 'sheet'], ['plan-annual', 'sheet'],
];

describe.each(themes)('the $theme theme', ({ text }) => {
  const colours = palette(text);
  const pick = (name: string) => {
    const colour = colours.get(name);
    if (!colour) throw new Error(`no colour ${name}`);
    return colour;
  };

  it.each(BODY)('reads %s on %s at 7:1 or better', (one, other) => {
    expect(contrast(pick(one), pick(other))).toBeGreaterThanOrEqual(7);
  });

  it.each(INTERFACE)('shows %s on %s at 3:1 or better', (one, other) => {
    expect(contrast(pick(one), pick(other))).toBeGreaterThanOrEqual(3);
  });

  it('claims only true figures in its comments', () => {
    const claimed = claims(text);
    expect(claimed.length).toBeGreaterThan(30);
    const wrong = claimed
      .map((claim) => ({ ...claim, true: Number(contrast(pick(claim.colour), pick(claim.other)).toFixed(2)) }))
      .filter((claim) => claim.figure !== claim.true);
    expect(wrong).toEqual([]);
  });
});
