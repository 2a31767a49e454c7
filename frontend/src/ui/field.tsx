// What is filled in. Each field has its label above it, its hint below the label, and its error where the eye is:
// between hint and box, with a sign, tied to the box for those who listen.

import type { ComponentChildren, ComponentProps } from 'preact';
import { useId } from 'react';

import { CheckIcon, ErrorIcon } from './icons';
import styles from './field.module.css';

interface Words {
  label: string;
  hint?: ComponentChildren;
  /** What is wrong and what to do about it. */
  error?: string;
}

interface FrameProps extends Words {
  id: string;
  children: ComponentChildren;
}

function describedBy(id: string, { hint, error }: Pick<Words, 'hint' | 'error'>): string | undefined {
  return [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
}

function Frame({ id, label, hint, error, children }: FrameProps) {
  return (
    <div class={styles.field}>
      <label class={styles.label} for={id}>
        {label}
      </label>
      {hint && (
        <div class={styles.hint} id={`${id}-hint`}>
          {hint}
        </div>
      )}
      <div aria-live="polite">
        {error && (
          <p class={styles.error} id={`${id}-error`}>
            <ErrorIcon />
            <span>{error}</span>
          </p>
        )}
      </div>
      {children}
    </div>
  );
}

export interface FieldProps extends Words, Omit<ComponentProps<'input'>, 'label' | 'class' | 'id' | 'role' | 'type'> {
  id?: string;
  type?: 'text' | 'email' | 'search';
}

export function Field({ id: given, type = 'text', label, hint, error, ...rest }: FieldProps) {
  const own = useId();
  const id = given ?? own;
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <input {...rest} type={type as 'text'} id={id} class={styles.box} aria-invalid={error ? true : undefined} aria-describedby={describedBy(id, { hint, error })} />
    </Frame>
  );
}

export interface TextAreaProps extends Words, Omit<ComponentProps<'textarea'>, 'label' | 'class' | 'id'> {
  id?: string;
}

export function TextArea({ id: given, label, hint, error, rows = 5, ...rest }: TextAreaProps) {
  const own = useId();
  const id = given ?? own;
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <textarea {...rest} id={id} rows={rows} class={styles.box} aria-invalid={error ? true : undefined} aria-describedby={describedBy(id, { hint, error })} />
    </Frame>
  );
}

export interface CheckboxProps extends Omit<ComponentProps<'input'>, 'label' | 'class' | 'type' | 'id' | 'role'> {
  /** May hold a link. */
  label: ComponentChildren;
  hint?: ComponentChildren;
  error?: string;
}

export function Checkbox({ label, hint, error, ...rest }: CheckboxProps) {
  const id = useId();
  return (
    <div class={styles.field}>
      <div aria-live="polite">
        {error && (
          <p class={styles.error} id={`${id}-error`}>
            <ErrorIcon />
            <span>{error}</span>
          </p>
        )}
      </div>
      <div class={styles.choice}>
        <span class={styles.tick}>
          <input {...rest} type="checkbox" id={id} aria-invalid={error ? true : undefined} aria-describedby={describedBy(id, { hint, error })} />
          <CheckIcon />
        </span>
        <label for={id}>{label}</label>
      </div>
      {hint && (
        <div class={styles.hint} id={`${id}-hint`}>
          {hint}
        </div>
      )}
    </div>
  );
}
