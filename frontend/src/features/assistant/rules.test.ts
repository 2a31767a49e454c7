import { describe, expect, it } from 'vitest';

import type { Answer, PastSession } from '../../api/assistant';
import { lastSolution } from './conversation';
import { dropErrorText } from './screenshot-drop';
import { confidenceText, spoken } from './solution';
import { levelOf, percentOf, warningFor } from './usage-panel';

const answer: Answer = {
  session_id: 's',
  interaction_id: 1,
  problem_analysis: 'Il computer è lento.',
  diagnosis: 'Troppi programmi.',
  confidence_level: 0.8,
  steps: ['Riavvia.', 'Chiudi i programmi.'],
  step_classes: ['safe', 'careful'],
  additional_tips: '',
  warnings: ['Salva prima il lavoro.'],
  codes: [],
  sources: [],
  engine: 'handbook',
  model_used: 'manuale',
  response_time: 0.1,
  generated_by: 'Dal manuale di Rimedio',
  fell_back: false,
  counted: true,
};

describe('the usage panel', () => {
  it.each([
    [0, 'calm'],
    [69.9, 'calm'],
    [70, 'near'],
    [89.9, 'near'],
    [90, 'full'],
    [100, 'full'],
  ])('is at %d percent %s', (percent, level) => {
    expect(levelOf(percent)).toBe(level);
  });

  it.each([
    [79.9, undefined],
    [80, 'Ti stai avvicinando al limite giornaliero.'],
    [94.9, 'Ti stai avvicinando al limite giornaliero.'],
    [95, "Limite quasi raggiunto! Considera l'upgrade."],
  ])('says at %d percent: %s', (percent, text) => {
    expect(warningFor(percent)).toBe(text);
  });

  it('is never wider than full, and full when there is nothing to use', () => {
    expect(percentOf(30, 40)).toBe(75);
    expect(percentOf(41, 40)).toBe(100);
    expect(percentOf(0, 0)).toBe(100);
  });
});

describe('an answer', () => {
  it.each([
    [0.95, 'molto probabile (95%)'],
    [0.5, 'probabile (50%)'],
    [0.1, 'incerta (10%)'],
    [1.4, 'molto probabile (100%)'],
  ])('says how sure it is: %d', (level, text) => {
    expect(confidenceText(level)).toBe(text);
  });

  it('is read in the order of the page, warnings first, without empty parts', () => {
    expect(spoken(answer)).toEqual([
      'Salva prima il lavoro.',
      'Il computer è lento.',
      'Troppi programmi.',
      'Passaggio 1. Riavvia.',
      'Passaggio 2. Chiudi i programmi.',
    ]);
  });
});

describe('a past session', () => {
  const session: PastSession = { session_id: 's', title: 'Lento', created_at: '2026-11-21T09:00:00Z', resolved: true, pending: false, interactions: [] };

  it('without an answer is none', () => {
    expect(lastSolution(session)).toBeUndefined();
  });

  it('opens with its last answer, one outcome for each step', () => {
    const interactions = [{ interaction_id: 1, question: 'È lento', created_at: session.created_at, answer, outcomes: ['done' as const] }];
    expect(lastSolution({ ...session, interactions })).toMatchObject({ question: 'È lento', outcomes: ['done', null], resolved: true });
  });
});

describe('a file that is refused', () => {
  it('is told of in the words of the specification, and with what to do', () => {
    const text = dropErrorText({ code: 'file-too-large', message: 'from the library' });
    expect(text).toMatch(/^File is larger than 10485760 bytes\./);
    expect(text).toContain('10 MB');
    expect(dropErrorText({ code: 'too-many-files', message: 'Too many files' })).toMatch(/^Too many files\./);
  });
});
