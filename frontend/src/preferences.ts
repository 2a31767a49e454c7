// What a person has set for this browser. The keys are those of the specification.

export const RESPONSE_FORMATS = ['detailed', 'concise', 'technical'] as const;
/** How long and how technical an answer is. */
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number];

export interface Preferences {
  response_format: ResponseFormat;
  /** Whether the server keeps conversations after the session ends. */
  save_conversations: boolean;
  /** News about the person's own account. */
  email_notifications: boolean;
  /** News about the product. */
  marketing_emails: boolean;
}

function stored(key: keyof Preferences): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage is refused: what was not set stands.
    return null;
  }
}

/** What is set now; what cannot be read counts as not set. */
export function preferences(): Preferences {
  const format = stored('response_format');
  return {
    response_format: RESPONSE_FORMATS.find((one) => one === format) ?? 'detailed',
    save_conversations: stored('save_conversations') !== 'false',
    email_notifications: stored('email_notifications') !== 'false',
    marketing_emails: stored('marketing_emails') === 'true',
  };
}

/** Keeps one setting. @returns whether the browser could keep it. */
export function setPreference<Name extends keyof Preferences>(name: Name, value: Preferences[Name]): boolean {
  try {
    localStorage.setItem(name, String(value));
    return true;
  } catch {
    return false;
  }
}
