//! Answers that no article stands behind: nothing was recognised, the article is not written yet, the question is not
//! about a device, somebody is in danger.

use super::lower_first;
use crate::handbook::{Guidance, Platform, Question, Seen, Step, StepClass};

pub(super) const PICTURE_NOT_READ: &str =
    "Nell'immagine non sono riuscito a leggere le scritte: se ci sono parole o codici, scrivimeli qui sotto.";

fn safe(text: &str) -> Step {
    Step { text: text.into(), class: StepClass::Safe }
}

/// Steps that harm nobody and often help, for a device.
fn general_steps(platform: Option<Platform>) -> Vec<Step> {
    match platform {
        Some(Platform::Android | Platform::Ios) => vec![
            safe("Guarda bene lo schermo e leggi le parole che compaiono. Se puoi, copiale su un foglio."),
            safe("Spegni il telefono, aspetta mezzo minuto e riaccendilo."),
            safe(
                "Apri Impostazioni e cerca la voce degli aggiornamenti. Se ce n'è uno, installalo con il telefono in carica.",
            ),
            safe("Apri Impostazioni e guarda quanto spazio è rimasto. Se è quasi finito, cancella le app che non usi."),
            safe("Torna qui e scrivimi le parole esatte che leggi e che cosa stavi facendo."),
        ],
        _ => vec![
            safe("Guarda bene lo schermo e leggi le parole che compaiono. Se puoi, fotografale con il telefono."),
            safe("Salva il lavoro che hai aperto e chiudi i programmi."),
            safe("Riavvia il computer con Start > Arresta > Riavvia il sistema."),
            safe("Controlla che i cavi siano ben inseriti: corrente, rete e quelli degli accessori."),
            safe("Torna qui e scrivimi le parole esatte che leggi e che cosa stavi facendo."),
        ],
    }
}

pub(super) fn nothing_recognised(question: &Question, seen: &Seen) -> Guidance {
    let analysis = if question.has_image && question.image_text.is_none() {
        format!("Ho ricevuto la tua immagine. {PICTURE_NOT_READ}")
    } else {
        "Non ho ancora capito bene che cosa succede. Con qualche particolare in più posso aiutarti meglio: quale dispositivo usi, che cosa \
         stavi facendo e quali parole leggi sullo schermo."
            .to_owned()
    };
    Guidance {
        problem_analysis: analysis,
        diagnosis: "Intanto prova questi passaggi: non possono fare danni e risolvono molti piccoli guai.".into(),
        confidence: seen.candidates.first().map_or(0.1, |first| first.confidence.min(0.2)),
        steps: general_steps(seen.platform),
        additional_tips: "Va bene anche una fotografia dello schermo: puoi caricarla insieme alla domanda.".into(),
        warnings: Vec::new(),
        family: None,
        sources: Vec::new(),
    }
}

pub(super) fn without_article(
    family: &str,
    title: &str,
    confidence: f64,
    question: &Question,
    seen: &Seen,
) -> Guidance {
    let mut analysis = format!("Da quello che scrivi, il problema è questo: {}.", lower_first(title));
    if question.has_image && question.image_text.is_none() {
        analysis = format!("{analysis} {PICTURE_NOT_READ}");
    }
    Guidance {
        problem_analysis: analysis,
        diagnosis: "Per questo problema il manuale non ha ancora una scheda completa. Intanto prova questi passaggi: vanno bene in molti casi e \
                    non possono fare danni."
            .into(),
        confidence: confidence * 0.5,
        steps: general_steps(seen.platform),
        additional_tips: "Se non basta, scrivimi che cosa è cambiato e quali parole leggi sullo schermo.".into(),
        warnings: Vec::new(),
        family: Some(family.to_owned()),
        sources: Vec::new(),
    }
}

pub(super) fn elsewhere() -> Guidance {
    Guidance {
        problem_analysis: "Mi dispiace, con questo non ti posso aiutare. Io mi occupo di computer, telefoni, stampanti, Internet e programmi."
            .into(),
        diagnosis: "La tua domanda non riguarda un dispositivo o la rete. Non ti è costata nessuna richiesta.".into(),
        confidence: 0.05,
        steps: vec![safe("Se hai un problema con il computer o il telefono, descrivilo qui con parole tue.")],
        additional_tips: String::new(),
        warnings: Vec::new(),
        family: Some("out-of-scope".into()),
        sources: Vec::new(),
    }
}

pub(super) fn health() -> Guidance {
    Guidance {
        problem_analysis: "Quello che scrivi riguarda la salute, e viene prima di ogni computer.".into(),
        diagnosis: "Qui non posso aiutarti: serve subito una persona. Chiama il 112.".into(),
        confidence: 0.05,
        steps: vec![
            safe("Chiama il 112 adesso. La chiamata è gratuita, giorno e notte."),
            safe("Di' dove ti trovi e che cosa succede. Resta al telefono finché te lo chiedono."),
            safe("Se puoi, chiama un vicino o un familiare e lascia aperta la porta di casa."),
        ],
        additional_tips: String::new(),
        warnings: Vec::new(),
        family: Some("safety".into()),
        sources: Vec::new(),
    }
}

pub(super) fn fire() -> Guidance {
    Guidance {
        problem_analysis: "Fumo, bruciato, scosse o una batteria gonfia sono un pericolo. Prima pensa a te, poi al dispositivo.".into(),
        diagnosis: "Un pezzo si sta surriscaldando o è in corto circuito, cioè la corrente passa dove non deve.".into(),
        confidence: 0.9,
        steps: vec![
            safe("Allontanati dal dispositivo e non toccarlo se è bollente, bagnato o gonfio."),
            safe("Se puoi farlo senza rischio, stacca la spina dalla presa. Altrimenti spegni l'interruttore generale della corrente."),
            safe("Se vedi fuoco o molto fumo, esci e chiama il 112."),
            safe("Non riaccendere il dispositivo e non metterlo in carica."),
            Step { text: "Fallo vedere a un tecnico. Una batteria gonfia va portata in un centro di raccolta, non nei rifiuti.".into(), class: StepClass::Technician },
        ],
        additional_tips: "Apri le finestre: il fumo di una batteria fa male.".into(),
        warnings: vec!["Non bucare e non premere una batteria gonfia: può prendere fuoco.".into()],
        family: Some("safety".into()),
        sources: Vec::new(),
    }
}
