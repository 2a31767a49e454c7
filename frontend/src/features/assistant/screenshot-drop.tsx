// Where a picture of the screen goes: dropped, chosen or pasted. One picture, shown as it is before it leaves.

import { useCallback, useEffect, useState } from 'react';
import { useDropzone, type FileError } from 'react-dropzone';

import { Button } from '../../ui/button';
import { classNames } from '../../ui/class-names';
import { CrossIcon, ErrorIcon, PictureIcon } from '../../ui/icons';
import styles from './form.module.css';

/** Bytes: 10 MB. */
export const LARGEST_IMAGE = 10 * 1024 * 1024;
/** Bytes: something. */
const SMALLEST_IMAGE = 1;
const TYPES = {
  'image/jpeg': ['.jpeg', '.jpg'],
  'image/png': ['.png'],
  'image/gif': ['.gif'],
  'image/webp': ['.webp'],
  'image/bmp': ['.bmp'],
};

/** What is wrong with a file, in the specification's words, and what to do about it. */
export function dropErrorText({ code, message }: Pick<FileError, 'code' | 'message'>): string {
  switch (code) {
    case 'file-invalid-type':
      return `File type must be ${Object.keys(TYPES).join(', ')}. Scegli un'immagine JPG o PNG.`;
    case 'file-too-large':
      return `File is larger than ${LARGEST_IMAGE} bytes. L'immagine è troppo grande: il massimo è 10 MB.`;
    case 'file-too-small':
      return `File is smaller than ${SMALLEST_IMAGE} bytes. Il file è vuoto: scegline un altro.`;
    case 'too-many-files':
      return 'Too many files. Carica una sola immagine alla volta.';
    default:
      return message;
  }
}

export interface ScreenshotDropProps {
  file: File | undefined;
  onFile: (file: File | undefined) => void;
  disabled?: boolean;
}

export function ScreenshotDrop({ file, onFile, disabled }: ScreenshotDropProps) {
  const [errors, setErrors] = useState<string[]>([]);
  const [preview, setPreview] = useState<string>();

  useEffect(() => {
    if (!file) {
      setPreview(undefined);
      return;
    }
    const address = URL.createObjectURL(file);
    setPreview(address);
    return () => URL.revokeObjectURL(address);
  }, [file]);

  const { getRootProps, getInputProps, isDragActive, open } = useDropzone({
    accept: TYPES,
    maxFiles: 1,
    multiple: false,
    minSize: SMALLEST_IMAGE,
    maxSize: LARGEST_IMAGE,
    noClick: true,
    noKeyboard: true,
    disabled,
    onDrop: useCallback(
      (accepted: File[], rejected: readonly { errors: readonly FileError[] }[]) => {
        const told = rejected.flatMap((one) => one.errors.map(dropErrorText));
        setErrors([...new Set(told)]);
        if (accepted[0]) onFile(accepted[0]);
      },
      [onFile],
    ),
  });

  // A picture that was copied, with Ctrl and V anywhere on the page.
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const pasted = [...(event.clipboardData?.files ?? [])].find((one) => one.type in TYPES);
      if (!pasted || disabled) return;
      event.preventDefault();
      setErrors(pasted.size > LARGEST_IMAGE ? [dropErrorText({ code: 'file-too-large', message: '' })] : []);
      if (pasted.size <= LARGEST_IMAGE) onFile(pasted);
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, [onFile, disabled]);

  return (
    <div role="group" aria-labelledby="screenshot-label" aria-describedby="screenshot-hint">
      <p id="screenshot-label" class={styles.label}>
        Una foto dello schermo <span class={styles.optional}>(se vuoi)</span>
      </p>
      <p id="screenshot-hint" class={styles.hint}>
        Formati supportati: JPG, PNG, GIF (max 10MB)
      </p>
      <div {...(getRootProps() as object)} class={classNames(styles.drop, isDragActive && styles.dropping)}>
        <input {...(getInputProps() as object)} aria-label="Scegli la foto dello schermo" />
        {file && preview ? (
          <div class={styles.preview}>
            <img src={preview} alt={`La tua immagine: ${file.name}`} />
            <Button icon={CrossIcon} onClick={() => onFile(undefined)} disabled={disabled}>
              Togli l'immagine
            </Button>
          </div>
        ) : (
          <div class={styles.empty}>
            <PictureIcon />
            <p>{isDragActive ? "Lascia qui l'immagine" : "Trascina qui l'immagine, oppure"}</p>
            <Button onClick={open} disabled={disabled}>
              Scegli l'immagine
            </Button>
          </div>
        )}
      </div>
      <div aria-live="assertive">
        {errors.map((error) => (
          <p key={error} class={styles.error}>
            <ErrorIcon /> <span>{error}</span>
          </p>
        ))}
      </div>
    </div>
  );
}
