// An answer read aloud by the browser's own voice, when it has an Italian one.

import { useCallback, useEffect, useRef, useState } from 'react';

function italianVoice(): SpeechSynthesisVoice | undefined {
  const voices = speechSynthesis.getVoices().filter((voice) => /^it([-_]|$)/i.test(voice.lang));
  return voices.find((voice) => voice.localService) ?? voices[0];
}

export interface ReadAloud {
  /** Whether there is a voice. */
  possible: boolean;
  reading: boolean;
  read: (sentences: readonly string[]) => void;
  stop: () => void;
}

export function useReadAloud(): ReadAloud {
  const [voice, setVoice] = useState<SpeechSynthesisVoice>();
  const [reading, setReading] = useState(false);
  /** Counts readings: the end of one that was stopped is not the end of the next. */
  const turn = useRef(0);

  useEffect(() => {
    if (!('speechSynthesis' in window)) return;
    // Browsers load their voices late.
    const look = () => setVoice(italianVoice());
    look();
    speechSynthesis.addEventListener('voiceschanged', look);
    return () => {
      speechSynthesis.removeEventListener('voiceschanged', look);
      turn.current += 1;
      speechSynthesis.cancel();
    };
  }, []);

  const stop = useCallback(() => {
    turn.current += 1;
    speechSynthesis.cancel();
    setReading(false);
  }, []);

  const read = useCallback(
    (sentences: readonly string[]) => {
      if (!voice) return;
      speechSynthesis.cancel();
      turn.current += 1;
      const mine = turn.current;
      setReading(true);
      // One utterance a sentence: long ones are cut off by some browsers.
      sentences.forEach((sentence, index) => {
        const utterance = new SpeechSynthesisUtterance(sentence);
        utterance.voice = voice;
        utterance.lang = voice.lang;
        utterance.rate = 0.95;
        const over = () => {
          if (turn.current === mine) setReading(false);
        };
        if (index === sentences.length - 1) utterance.onend = over;
        utterance.onerror = over;
        speechSynthesis.speak(utterance);
      });
    },
    [voice],
  );

  return { possible: voice !== undefined, reading, read, stop };
}
