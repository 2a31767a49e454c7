// What every page is: a title for the window, one main landmark, one first heading, which takes the focus when the
// page was reached by a link, so that those who listen hear where they are.

import type { ComponentChildren, RefObject } from 'preact';
import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'react';
import { useLocation, useNavigationType } from 'react-router-dom';

import { classNames } from './class-names';
import styles from './page.module.css';

/** The name that ends each window title. The app gives it; `ui` knows no product. */
export const SiteName = createContext('');

/** Where the skip link leads. */
export const MAIN_ID = 'contenuto';

export interface PageProps {
  /** The title of the window and, unless `heading` says otherwise, the first heading. */
  title: string;
  /** The first heading when it is not the title; `none` when the page draws its own `PageHeading`. */
  heading?: ComponentChildren | 'none';
  /** A sentence under the heading. */
  lead?: ComponentChildren;
  /** `text` for reading, `wide` for what stands side by side, `full` when the page sets its own bounds. */
  width?: 'text' | 'wide' | 'full';
  class?: string;
  children?: ComponentChildren;
}

/** Whether a page was opened directly (then the browser's own beginning is right) or by a link within the product. */
let arrivedAt: string | undefined;

function useArrivalFocus(heading: RefObject<HTMLElement | null>) {
  const { pathname } = useLocation();
  const how = useNavigationType();
  useEffect(() => {
    if (arrivedAt !== undefined && arrivedAt !== pathname) {
      heading.current?.focus({ preventScroll: true });
      if (how !== 'POP') window.scrollTo(0, 0);
    }
    arrivedAt = pathname;
  }, [pathname, heading, how]);
}

/** Told of each change of page. */
let announce: ((title: string) => void) | undefined;

export function useWindowTitle(title: string) {
  const site = useContext(SiteName);
  useEffect(() => {
    document.title = site && !title.startsWith(site) ? `${title} – ${site}` : title;
  }, [title, site]);
  useEffect(() => announce?.(title), [title]);
}

/** Says the title of each page that is opened within the product, for those who listen. Stands once, before the pages. */
export function PageAnnouncer() {
  const [title, setTitle] = useState('');
  useEffect(() => {
    // The page with which the product was opened is read by itself.
    let first = true;
    announce = (opened) => {
      if (!first) setTitle(opened);
      first = false;
    };
    return () => {
      announce = undefined;
    };
  }, []);
  return (
    <p class="visually-hidden" role="status">
      {title && `Pagina aperta: ${title}`}
    </p>
  );
}

/** The first heading, for pages that place it themselves. */
export function PageHeading({ class: className, children }: { class?: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useArrivalFocus(heading);
  return (
    <h1 ref={heading} tabIndex={-1} class={className}>
      {children}
    </h1>
  );
}

export function Page({ title, heading, lead, width = 'text', class: className, children }: PageProps) {
  useWindowTitle(title);
  return (
    <main id={MAIN_ID} tabIndex={-1} class={classNames(styles.page, styles[width], className)}>
      {heading !== 'none' && (
        <div class={styles.head}>
          <PageHeading>{heading ?? title}</PageHeading>
          {lead && <p class={styles.lead}>{lead}</p>}
        </div>
      )}
      {children}
    </main>
  );
}

/** The first thing that the Tab key reaches. */
export function SkipLink() {
  return (
    <a class={styles.skip} href={`#${MAIN_ID}`} data-print="never">
      Vai al contenuto
    </a>
  );
}
