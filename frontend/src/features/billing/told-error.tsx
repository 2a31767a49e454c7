// What went wrong with what was just pressed, where it was pressed: told at once, and with the focus, so that the way
// out beside it is the next thing that the Tab key reaches.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'react';

import { Notice } from '../../ui/notice';

export function ToldError({ children }: { children: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), []);
  return (
    <div ref={place} tabIndex={-1}>
      <Notice kind="error" announce="now">
        {children}
      </Notice>
    </div>
  );
}
