// A review of an answer, or a wish for the product.

import { useEffect, useId, useState } from 'react';
import toast from 'react-hot-toast/headless';

import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Checkbox, Field, TextArea } from '../../ui/field';
import { StarIcon } from '../../ui/icons';
import { Tabs } from '../../ui/tabs';
import styles from './page.module.css';
import { ANONYMOUS, RATINGS, TESTIMONIAL_FROM, storeFeedback } from './user-feedback';

type Kind = 'review' | 'feature';

export interface FeedbackDialogProps {
  open: boolean;
  session: string | undefined;
  onClose: () => void;
  /** Something was kept. */
  onSent: () => void;
}

export function FeedbackDialog({ open, session, onClose, onSent }: FeedbackDialogProps) {
  const [kind, setKind] = useState<Kind>('review');
  const [rating, setRating] = useState(0);
  const [comment, setComment] = useState('');
  const [name, setName] = useState('');
  const [consent, setConsent] = useState(false);
  const [errors, setErrors] = useState<{ rating?: string; comment?: string }>({});
  const form = useId();

  useEffect(() => {
    if (!open) {
      setKind('review');
      setRating(0);
      setComment('');
      setName('');
      setConsent(false);
      setErrors({});
    }
  }, [open]);

  function send() {
    const wrong = {
      rating: kind === 'review' && rating === 0 ? 'Per favore, seleziona una valutazione' : undefined,
      comment: comment.trim() === '' ? 'Per favore, scrivi un commento' : undefined,
    };
    setErrors(wrong);
    if (wrong.rating || wrong.comment) return;
    try {
      storeFeedback({
        type: kind,
        rating: kind === 'review' ? rating : null,
        comment: comment.trim(),
        name: name.trim() || ANONYMOUS,
        canUseTestimonial: kind === 'review' && rating >= TESTIMONIAL_FROM && consent,
        sessionId: session ?? null,
        timestamp: new Date().toISOString(),
      });
    } catch {
      toast.error("Errore nell'invio. Riprova più tardi.");
      return;
    }
    toast.success(kind === 'review' ? 'Grazie per la tua recensione!' : 'Grazie per il tuo suggerimento!');
    onSent();
  }

  return (
    <Dialog
      open={open}
      title="Dicci che cosa ne pensi"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Annulla</Button>
          <Button type="submit" variant="primary" form={form}>
            Invia
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Tabs
          label="Che cosa vuoi scrivere"
          tabs={[
            { name: 'review', label: 'Recensione' },
            { name: 'feature', label: 'Suggerimento' },
          ]}
          selected={kind}
          onSelect={(selected) => {
            setKind(selected);
            setErrors({});
          }}
        >
          <div class={styles.feedback}>
            {kind === 'review' && <Rating value={rating} error={errors.rating} onChange={setRating} />}
            <TextArea
              label={kind === 'review' ? 'Il tuo commento' : 'Il tuo suggerimento'}
              value={comment}
              rows={4}
              error={errors.comment}
              onInput={(event) => setComment(event.currentTarget.value)}
            />
            <Field label="Il tuo nome (se vuoi)" value={name} autoComplete="name" onInput={(event) => setName(event.currentTarget.value)} />
            {kind === 'review' && rating >= TESTIMONIAL_FROM && (
              <Checkbox
                label="Potete mostrare la mia recensione sul sito"
                checked={consent}
                onChange={(event) => setConsent(event.currentTarget.checked)}
              />
            )}
          </div>
        </Tabs>
      </form>
    </Dialog>
  );
}

function Rating({ value, error, onChange }: { value: number; error?: string; onChange: (rating: number) => void }) {
  const [pointed, setPointed] = useState(0);
  const shown = pointed || value;
  const name = useId();
  return (
    <fieldset aria-describedby={error ? `${name}-error` : undefined}>
      <legend class={styles.legend}>La tua valutazione</legend>
      <div class={styles.stars} onMouseLeave={() => setPointed(0)}>
        {[1, 2, 3, 4, 5].map((stars) => (
          <label key={stars} class={styles.star} data-full={stars <= shown || undefined} onMouseEnter={() => setPointed(stars)}>
            <input type="radio" name={name} value={stars} checked={value === stars} onChange={() => onChange(stars)} />
            <StarIcon />
            <span class="visually-hidden">
              {stars} {stars === 1 ? 'stella' : 'stelle'}: {RATINGS[stars]}
            </span>
          </label>
        ))}
        <span class={styles.rating} aria-hidden="true">
          {RATINGS[shown]}
        </span>
      </div>
      <p class={styles.error} id={`${name}-error`} aria-live="assertive">
        {error}
      </p>
    </fieldset>
  );
}
