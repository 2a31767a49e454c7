//! What kind of question it is: an emergency, a fraud under way, something that the product is not for. A refusal must
//! be certain: a question about a device in odd words is never turned away.

/// A danger to a person, which comes before any device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Emergency {
    /// Somebody is unwell.
    Health,
    /// A device burns, smokes, swells or gives shocks.
    Fire,
}

/// Beginnings of words that name what the product is for.
const DEVICE: &[&str] = &[
    "computer",
    "pc",
    "portatil",
    "notebook",
    "laptop",
    "tablet",
    "ipad",
    "iphone",
    "android",
    "samsung",
    "xiaomi",
    "huawei",
    "mac",
    "macbook",
    "imac",
    "windows",
    "telefon",
    "cellular",
    "smartphone",
    "stampant",
    "stampa",
    "scanner",
    "scansion",
    "wifi",
    "wi",
    "internet",
    "router",
    "modem",
    "rete",
    "connession",
    "sito",
    "siti",
    "browser",
    "chrome",
    "safari",
    "firefox",
    "edge",
    "google",
    "mail",
    "email",
    "posta",
    "pec",
    "spid",
    "app",
    "applicazion",
    "programm",
    "file",
    "cartell",
    "password",
    "pin",
    "account",
    "schermo",
    "schermat",
    "monitor",
    "tastier",
    "mouse",
    "touchpad",
    "webcam",
    "microfon",
    "cuffi",
    "cass",
    "audio",
    "bluetooth",
    "usb",
    "chiavett",
    "disco",
    "hard",
    "ssd",
    "memoria",
    "backup",
    "virus",
    "antivirus",
    "hacker",
    "truff",
    "phishing",
    "link",
    "sms",
    "whatsapp",
    "facebook",
    "instagram",
    "youtube",
    "netflix",
    "zoom",
    "teams",
    "skype",
    "word",
    "excel",
    "pdf",
    "office",
    "outlook",
    "onedrive",
    "icloud",
    "aggiorn",
    "install",
    "scaric",
    "download",
    "errore",
    "codice",
    "bios",
    "driver",
    "batteri",
    "caric",
    "sim",
    "decoder",
    "tv",
    "televis",
    "alexa",
    "cookie",
    "cloud",
    "video",
    "videochiamat",
    "click",
    "clic",
    "icon",
    "desktop",
    "salvat",
    "salvar",
    "online",
    "digital",
    "elettronic",
    "dispositiv",
    "wapp",
    "uaifai",
    "pop",
    "popup",
    "notific",
];

/// What is certainly something else, as it stands in a folded text.
const ELSEWHERE: &[&str] = &[
    "ricetta",
    "ricette",
    "cucinare",
    "come si cuoce",
    "tiramisu",
    "torta di",
    "una torta",
    "lasagne",
    "carbonara",
    "pasta al",
    "meteo",
    "che tempo fa",
    "che tempo fara",
    "previsioni del tempo",
    "piove domani",
    "oroscopo",
    "segno zodiacale",
    "chi ha vinto",
    "risultato della partita",
    "serie a",
    "campionato",
    "capitale del",
    "capitale d",
    "capoluogo",
    "chi era",
    "chi e il presidente",
    "in che anno",
    "poesia",
    "barzelletta",
    "filastrocca",
    "una storia",
    "un racconto",
    "un tema",
    "riassunto di",
    "riassumi",
    "traduci",
    "traduzione",
    "come si dice in",
    "mal di",
    "male alla",
    "male al",
    "dolore",
    "febbre",
    "pressione alta",
    "pillola",
    "medicina",
    "medicinale",
    "farmaco",
    "dieta",
    "dimagrire",
    "sintomi",
    "lotto",
    "superenalotto",
    "scommess",
    "investire",
    "comprare azioni",
    "bitcoin conviene",
    "fare testamento",
    "avvocato",
    "divorzio",
    "multa",
    "bollo auto",
    "pensione minima",
    "quanto fa",
    "radice quadrata",
    "equazione",
    "piante",
    "giardin",
    "potare",
    "il cane",
    "il gatto",
    "veterinario",
    "treno per",
    "orari del treno",
    "albergo",
    "vacanza",
    "volo per",
    "consigliami un film",
    "consigliami un libro",
    "chi sei",
    "sei una persona",
    "ti amo",
    "senso della vita",
    "religione",
    "politica",
    "elezioni",
    "guerra",
];

const HEALTH: &[&str] = &[
    "dolore al petto",
    "male al petto",
    "non respiro",
    "non riesco a respirare",
    "non respira",
    "infarto",
    "ictus",
    "svenut",
    "sta male mia",
    "sta male mio",
    "voglio morire",
    "farla finita",
    "mi voglio uccidere",
    "suicid",
    "ho preso la scossa",
    "emorragia",
    "avvelenat",
];

const FIRE: &[&str] = &[
    "fumo dal",
    "fumo dalla",
    "fumo dallo",
    "fa fumo",
    "esce fumo",
    "esce del fumo",
    "prende fuoco",
    "ha preso fuoco",
    "va a fuoco",
    "sta bruciando",
    "puzza di bruciato",
    "odore di bruciato",
    "scintille",
    "batteria gonfia",
    "batteria si e gonfiata",
    "batteria gonfiata",
    "da la scossa",
    "fiamme",
];

/// A danger that the words speak of.
pub(super) fn emergency(plain_text: &str) -> Option<Emergency> {
    if HEALTH.iter().any(|words| plain_text.contains(words)) {
        return Some(Emergency::Health);
    }
    FIRE.iter().any(|words| plain_text.contains(words)).then_some(Emergency::Fire)
}

/// Whether the words certainly speak of something that the product is not for.
pub(super) fn is_elsewhere(plain_text: &str) -> bool {
    !names_a_device(plain_text) && ELSEWHERE.iter().any(|words| at_a_word(plain_text, words))
}

fn names_a_device(plain_text: &str) -> bool {
    plain_text
        .split(|character: char| !character.is_alphanumeric())
        .any(|word| DEVICE.iter().any(|begin| if begin.len() <= 3 { word == *begin } else { word.starts_with(begin) }))
}

/// Whether `words` stand in the text and begin there with a word.
fn at_a_word(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| !text[..at].ends_with(char::is_alphanumeric))
}

/// Whether somebody else is in play: a number to call, a payment, a stranger who wants in.
pub(super) fn sounds_like_a_stranger(plain_text: &str) -> bool {
    const CALLS: &[&str] = &[
        "chiamare",
        "chiamate",
        "chiama il",
        "chiami",
        "numero verde",
        "numero da",
        "telefonare",
        "mi ha chiamato",
        "ha chiamato",
    ];
    const CLAIMS: &[&str] =
        &["virus", "bloccat", "microsoft", "assistenza", "infett", "sblocc", "windows", "tecnico", "banca", "poste"];
    const ENTERS: &[&str] =
        &["anydesk", "teamviewer", "controllo remoto", "vede il mio schermo", "entrare nel mio", "collegarsi al mio"];
    let says = |words: &[&str]| words.iter().any(|word| plain_text.contains(word));
    (says(CALLS) && says(CLAIMS)) || says(ENTERS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folding::plain;

    #[test]
    fn what_is_not_about_devices_is_told_apart() {
        let elsewhere = [
            "Mi dai la ricetta del tiramisù?",
            "Mi dai una ricetta per la torta di mele?",
            "Che tempo fa domani a Bologna?",
            "Scrivi una poesia per mia nipote",
            "Chi ha vinto ieri sera?",
            "Qual è la capitale del Perù?",
            "Traduci in inglese buongiorno",
            "Ho mal di testa, che prendo?",
            "Quanto fa 12 per 13?",
            "Consigliami un film",
            "L'oroscopo della Bilancia",
            "Come si cuoce il riso?",
            "Raccontami una barzelletta",
            "Come faccio a dimagrire?",
            "Quando si possono potare le rose?",
            "Il gatto non mangia",
            "Orari del treno per Roma",
            "Risolvi questa equazione",
            "Chi era Garibaldi?",
            "Fammi un riassunto di Pinocchio",
            "Che pillola prendo?",
            "Quali numeri gioco al lotto?",
            "Mi serve un avvocato per il divorzio",
            "In che anno è nato Dante?",
            "Scrivimi un tema sulla primavera",
            "Come si fanno le lasagne?",
            "Un albergo a Rimini",
            "Chi è il presidente?",
            "Ho preso una multa",
            "Qual è il senso della vita?",
            "Piove domani?",
            "Previsioni del tempo per il weekend",
            "Mi fa male alla schiena",
            "Chi sei?",
            "Carbonara senza guanciale",
            "Come si dice in francese gatto",
            "Quando gioca la serie A?",
            "Una filastrocca per bambini",
            "Radice quadrata di 144",
            "Ho la febbre",
            "Conviene investire adesso?",
        ];
        assert!(elsewhere.len() >= 40, "{}", elsewhere.len());
        for text in elsewhere {
            assert!(is_elsewhere(&plain(text)), "{text}");
        }
    }

    #[test]
    fn a_question_about_a_device_in_odd_words_is_never_turned_away() {
        let ours = [
            "aiuto non funziona più niente",
            "non va",
            "si è rotto",
            "è tutto nero",
            "non si accende",
            "mi è sparito tutto",
            "ho perso le foto",
            "cercavo una ricetta e il computer si è bloccato",
            "il sito del meteo non si apre",
            "non riesco a stampare la ricetta",
            "la chiocciola non esce",
            "non sento la voce di mia figlia",
            "non mi vedono",
            "gira la rotella",
            "va a scatti",
            "mi chiede di pagare",
            "non so più la parola d'ordine",
            "ha fatto un rumore e poi basta",
            "lampeggia la luce rossa",
            "è uscita una scritta in inglese",
            "il tablet del gatto non carica",
            "scrivo una poesia su word e non salva",
            "film bloccato su netflix",
            "la partita si vede a scatti in tv",
            "devo fare la dieta ma l'app non parte",
            "non riesco a vedere la multa sul sito",
            "voglio tradurre una pagina internet",
            "come faccio lo spid",
            "il dottore mi ha mandato un link",
            "non si sente la radio dal telefono",
            "ho schiacciato qualcosa",
            "la freccetta è ferma",
            "tutto piccolo non leggo",
            "è lento come una lumaca",
            "mi esce sempre la stessa finestra",
            "ho cancellato il lavoro di un mese",
            "si spegne da solo",
            "mi hanno rubato il profilo",
            "blu con scritte bianche",
            "lo schermo è girato",
            "l'orologio è sbagliato sul pc",
        ];
        assert!(ours.len() >= 40, "{}", ours.len());
        for text in ours {
            assert!(!is_elsewhere(&plain(text)), "{text}");
        }
    }

    #[test]
    fn a_stranger_in_play_is_heard() {
        let frauds = [
            "una finestra dice di chiamare microsoft perché ho un virus",
            "numero verde da chiamare per sbloccare il pc",
            "mi ha chiamato un tecnico windows",
            "devo installare anydesk?",
            "un signore vuole usare teamviewer",
            "ha chiamato l'assistenza, il pc è infetto",
            "ora vede il mio schermo",
            "voce che dice chiamate assistenza, computer bloccato",
            "mi ha chiamato la banca per un blocco",
        ];
        for text in frauds {
            assert!(sounds_like_a_stranger(&plain(text)), "{text}");
        }
        for text in
            ["il pc è lento", "devo chiamare mio figlio con whatsapp", "la stampante non stampa", "windows non parte"]
        {
            assert!(!sounds_like_a_stranger(&plain(text)), "{text}");
        }
    }

    #[test]
    fn a_danger_comes_before_any_device() {
        assert_eq!(emergency(&plain("ho un forte dolore al petto, che faccio?")), Some(Emergency::Health));
        assert_eq!(emergency(&plain("Esce fumo dal computer!")), Some(Emergency::Fire));
        assert_eq!(emergency(&plain("la batteria si è gonfiata")), Some(Emergency::Fire));
        assert_eq!(emergency(&plain("il computer è morto")), None);
    }
}
