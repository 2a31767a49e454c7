// A sheet of paper on the page. `sheet` holds a matter of its own; `slip` is the mark of the house, the slip with a
// torn edge on which an answer is written.

import type { ComponentChildren, ComponentProps } from 'preact';

import styles from './card.module.css';
import { classNames } from './class-names';

export interface CardProps extends Omit<ComponentProps<'div'>, 'class'> {
  kind?: 'sheet' | 'slip';
  class?: string;
  children: ComponentChildren;
}

export function Card({ kind = 'sheet', class: className, children, ...rest }: CardProps) {
  return (
    <div {...rest} class={classNames(styles.card, styles[kind], className)}>
      {children}
    </div>
  );
}
