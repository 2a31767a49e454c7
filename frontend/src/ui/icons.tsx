// The signs of the house, drawn here on a grid of 24 with one stroke of 2.25: few, plain, and heavy enough to be seen
// by tired eyes. Each is decoration beside a word and hidden from screen readers; a control that shows nothing but a
// sign carries its own name.

import type { ComponentChildren } from 'preact';

export type Icon = (props: { class?: string }) => ReturnType<typeof drawing>;

function drawing(content: ComponentChildren, { class: className }: { class?: string }) {
  return (
    <svg
      class={className ? `icon ${className}` : 'icon'}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2.25"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {content}
    </svg>
  );
}

const icon = (...paths: string[]): Icon => {
  const content = paths.map((path) => <path key={path} d={path} />);
  return (props) => drawing(content, props);
};

export const CheckIcon = icon('M4.5 12.5l5 5L19.5 7');
export const CrossIcon = icon('M6 6l12 12', 'M18 6L6 18');
export const ChevronDownIcon = icon('M5.5 9l6.5 6.5L18.5 9');
export const ChevronRightIcon = icon('M9 5.5l6.5 6.5L9 18.5');
export const ArrowLeftIcon = icon('M20 12H4.5', 'M11 5l-7 7 7 7');
export const ArrowRightIcon = icon('M4 12h15.5', 'M13 5l7 7-7 7');
export const InformationIcon = icon('M12 21a9 9 0 100-18 9 9 0 000 18z', 'M12 11v5.5', 'M12 7.5v.1');
export const SuccessIcon = icon('M12 21a9 9 0 100-18 9 9 0 000 18z', 'M8 12.3l2.8 2.8L16 9.5');
export const WarningIcon = icon('M12 3.5L22 20.5H2L12 3.5z', 'M12 10v4.5', 'M12 17.4v.1');
export const ErrorIcon = icon('M8 3h8l5 5v8l-5 5H8l-5-5V8l5-5z', 'M12 7.5v5.5', 'M12 16.4v.1');
export const SunIcon = icon(
  'M12 16.5a4.5 4.5 0 100-9 4.5 4.5 0 000 9z',
  'M12 2v2M12 20v2M2 12h2M20 12h2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
);
export const MoonIcon = icon('M20.5 14A8.5 8.5 0 0110 3.5 8.5 8.5 0 1020.5 14z');
export const TextSizeIcon = icon('M2.5 18.5L8.5 4l6 14.5', 'M4.6 13.500h7.8', 'M15.5 18.500l3-8 3 8', 'M16.5 15.900h4');
export const PersonIcon = icon('M12 12a4.5 4.5 0 100-9 4.5 4.5 0 000 9z', 'M3.5 21c.8-4.2 4.3-6 8.5-6s7.7 1.8 8.5 6');
export const SignOutIcon = icon('M10 4H4.500v16H10', 'M9.5 12H21', 'M16 7l5 5-5 5');
export const GearIcon = icon(
  'M12 15.200a3.2 3.2 0 100-6.4 3.2 3.2 0 000 6.400z',
  'M12 2.500v3M12 18.500v3M2.5 12h3M18.5 12h3M5.3 5.300l2.1 2.100M16.6 16.600l2.1 2.100M5.3 18.700l2.1-2.100M16.6 7.400l2.1-2.1',
);
export const CardIcon = icon('M2.5 5.500h19v13h-19z', 'M2.5 10h19', 'M6 15h4');
export const ListIcon = icon('M9 6h12M9 12h12M9 18h12', 'M3.5 6h.1M3.5 12h.1M3.5 18h.1');
export const ChartIcon = icon('M4 3.500v17h17', 'M8.5 17v-5M13 17V7.500M17.5 17v-7.5');
export const CopyIcon = icon('M8.5 8.500h12v12h-12z', 'M15.5 8.500v-5h-12v12h5');
export const PrintIcon = icon('M7 8.500V3h10v5.5', 'M7 17.500H3v-9h18v9h-4', 'M7 14h10v7H7z');
export const SpeakerIcon = icon('M4 9.500v5h3.500l5 4.500V5l-5 4.500H4z', 'M16 9a4.2 4.2 0 010 6', 'M18.7 6a8.3 8.3 0 010 12');
export const StopIcon = icon('M6.5 6.500h11v11h-11z');
export const PictureIcon = icon('M3 4.500h18v15H3z', 'M3 16.500l5.5-5.5 5 5 2.5-2.5 5 5', 'M16 9v.1');
export const BinIcon = icon('M4 6.500h16', 'M9 6.500V3.500h6v3', 'M6 6.500l1 14h10l1-14', 'M10 11v5.500M14 11v5.5');
export const PlusIcon = icon('M12 4.500v15M4.5 12h15');
export const SearchIcon = icon('M11 18a7 7 0 100-14 7 7 0 000 14z', 'M16.2 16.200L21 21');
export const ThumbUpIcon = icon('M7.5 11v9.500h-4V11h4z', 'M7.5 11l4-8c1.7 0 2.7 1.3 2.4 3l-.6 3.500h6.200l-1.7 11H7.5');
export const ThumbDownIcon = icon('M7.5 13V3.500h-4V13h4z', 'M7.5 13l4 8c1.7 0 2.7-1.3 2.4-3l-.6-3.500h6.200l-1.7-11H7.5');
export const ShieldIcon = icon('M12 3l8 3v5.500c0 4.7-3.3 8-8 9.5-4.7-1.5-8-4.8-8-9.500V6l8-3z', 'M8.5 12l2.5 2.5 4.5-4.5');
export const PencilIcon = icon('M4 20l1-4.500L16.5 4l3.5 3.500L8.5 19 4 20z', 'M14 6.500l3.5 3.5');
export const ExternalIcon = icon('M13 4h7v7', 'M20 4l-9.5 9.5', 'M10 5H4v15h15v-6');
export const RepeatIcon = icon('M4 12a8 8 0 0113.7-5.600L20 8.5', 'M20 3.500v5h-5', 'M20 12a8 8 0 01-13.7 5.600L4 15.5', 'M4 20.500v-5h5');
export const StarIcon = icon('M12 3l2.8 5.9 6.3.8-4.6 4.4 1.2 6.400L12 17.400l-5.7 3.1 1.2-6.400L2.9 9.700l6.3-.8L12 3z');
