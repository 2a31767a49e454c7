// Two or three views in one place, in the manner of the ARIA authoring practices: arrow keys move, one tab stop.

import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'react';

import styles from './tabs.module.css';

export interface Tab<Name extends string> {
  name: Name;
  label: string;
}

export interface TabsProps<Name extends string> {
  /** What the tabs are about, for those who listen. */
  label: string;
  tabs: readonly Tab<Name>[];
  selected: Name;
  onSelect: (name: Name) => void;
  /** The panel of the selected tab. */
  children: ComponentChildren;
}

export function Tabs<Name extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Name>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);

  function move(event: KeyboardEvent) {
    const current = tabs.findIndex((tab) => tab.name === selected);
    const last = tabs.length - 1;
    const next = { ArrowRight: current === last ? 0 : current + 1, ArrowLeft: current === 0 ? last : current - 1, Home: 0, End: last }[event.key];
    const tab = next === undefined ? undefined : tabs[next];
    if (!tab) return;
    event.preventDefault();
    onSelect(tab.name);
    list.current?.querySelector<HTMLElement>(`#${CSS.escape(`${id}-${tab.name}`)}`)?.focus();
  }

  return (
    <div>
      <div role="tablist" aria-label={label} class={styles.list} ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            class={styles.tab}
            aria-selected={tab.name === selected}
            aria-controls={`${id}-panel`}
            tabIndex={tab.name === selected ? 0 : -1}
            onClick={() => onSelect(tab.name)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`} class={styles.panel}>
        {children}
      </div>
    </div>
  );
}
