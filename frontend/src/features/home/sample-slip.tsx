// An answer as it looks, on the slip of the house: nothing explains the product better.

import { Card } from '../../ui/card';
import { CheckIcon } from '../../ui/icons';
import styles from './sample-slip.module.css';

export function SampleSlip() {
  return (
    <figure class={styles.figure}>
      <figcaption class={styles.caption}>Un esempio di risposta</figcaption>
      <div class={styles.shadow}>
        <Card kind="slip" class={styles.slip}>
          <p class={styles.question}>“La stampante dice offline, ma è accesa.”</p>
          <p class={styles.part}>Perché succede</p>
          <p>Il computer ha perso il collegamento con la stampante. Capita spesso dopo che il modem si è riavviato.</p>
          <p class={styles.part}>Che cosa fare</p>
          <ol role="list" class={styles.steps}>
            <li class={styles.done}>
              <span>
                Spegni la stampante, aspetta 10 secondi e riaccendila. <strong class={styles.tick}><CheckIcon /> Fatto</strong>
              </span>
            </li>
            <li>
              <span>Guarda se sul suo schermo compare il nome del tuo WiFi.</span>
            </li>
            <li>
              <span>Sul computer apri “Stampanti” e togli la spunta da “Usa offline”.</span>
            </li>
          </ol>
        </Card>
      </div>
    </figure>
  );
}
