// Detailed reviews and suggestions. They stay in this browser, in the shape and under the key of the specification.

const KEY = 'userFeedback';

export interface UserFeedback {
  type: 'review' | 'feature';
  /** 1 to 5; null for a suggestion. */
  rating: number | null;
  comment: string;
  name: string;
  canUseTestimonial: boolean;
  sessionId: string | null;
  /** ISO 8601. */
  timestamp: string;
}

export const ANONYMOUS = 'Anonimo';

/** What each number of stars means. */
export const RATINGS: Record<number, string> = {
  5: 'Eccellente',
  4: 'Ottimo',
  3: 'Buono',
  2: 'Potrebbe migliorare',
  1: 'Non soddisfacente',
};

/** From this rating on a review may be shown to others, if its author agrees. */
export const TESTIMONIAL_FROM = 4;

export function storedFeedback(): UserFeedback[] {
  const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
  return Array.isArray(stored) ? stored : [];
}

/** Adds one. @throws when the browser keeps nothing. */
export function storeFeedback(feedback: UserFeedback) {
  let before: UserFeedback[] = [];
  try {
    before = storedFeedback();
  } catch {
    // What cannot be read is not worth losing the new one for.
  }
  localStorage.setItem(KEY, JSON.stringify([...before, feedback]));
}
