//! What no step may tell a person to do, found in Italian sentences (and the English ones that models slip in). A
//! rule looks for a verb that orders something and for what it orders; a verb that is forbidden ('non chiamare'),
//! reported ('ti chiede di chiamare') or pressed as a button is no order.

use std::sync::LazyLock;

use regex::Regex;

use super::contacts::Contacts;
use crate::assistant::contact::plain_pattern;
use crate::folding::plain;

/// What a text would make a person do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Danger {
    /// Erase a disk or a device with no copy made before.
    Erase,
    /// Leave the protection off.
    Unprotect,
    /// Call or write to a contact that a pop-up shows, or that nobody vouches for.
    Contact,
    /// Give a secret to somebody.
    Secret,
    /// Let somebody in from afar.
    RemoteControl,
    /// Run something of unknown origin.
    Download,
    /// Pay in a way that only swindlers ask for.
    Pay,
}

impl Danger {
    /// What a person reads instead.
    pub(super) const fn warning(self) -> &'static str {
        match self {
            Self::Erase => {
                "Abbiamo tolto un passaggio che poteva cancellare i tuoi dati. Non formattare e non azzerare niente prima di aver salvato una copia dei tuoi file."
            }
            Self::Unprotect => {
                "Abbiamo tolto un passaggio che lasciava il dispositivo senza protezione. Tieni sempre accesi antivirus, firewall e aggiornamenti."
            }
            Self::Contact => {
                "Non chiamare numeri che compaiono sullo schermo o in un messaggio: quasi sempre sono truffe."
            }
            Self::Secret => {
                "Non dare mai a nessuno password, PIN o codici che ricevi: nessuna assistenza seria li chiede."
            }
            Self::RemoteControl => {
                "Non far entrare nel tuo computer chi ti ha contattato: nessuna assistenza seria lo chiede così."
            }
            Self::Download => {
                "Abbiamo tolto un passaggio che faceva usare un programma di provenienza sconosciuta. Scarica programmi solo dal sito ufficiale di chi li fa o dal negozio di app del tuo dispositivo."
            }
            Self::Pay => {
                "Non pagare per sbloccare il dispositivo: né con carte regalo, né con criptovalute, né con ricariche."
            }
        }
    }
}

/// What stands around a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course<'a> {
    /// Whether a step before told to make a copy.
    pub(super) backup_made: bool,
    /// What comes after it.
    pub(super) later: &'a str,
    /// The contacts that may be used.
    pub(super) contacts: &'a Contacts,
}

/// What a text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prose {
    /// A step: every sentence is an order.
    Instruction,
    /// Around the steps: it also explains what could happen.
    Explanation,
}

macro_rules! patterns {
    ($($name:ident = $($part:literal),+;)+) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| plain_pattern(concat!($($part),+)));)+
        #[cfg(test)]
        pub(super) fn compile_all() { $(LazyLock::force(&$name);)+ }
    };
}

patterns! {
    ERASE_VERB = r"\b(?:formatt|inizializz|azzer|cancell|elimin|rimuov|ripristin|reimpost|resett|reset|reinstall|sovrascriv|pialla|wipe|erase|format|factory)\w*",
        r"|installazione pulita|diskpart|\bmkfs\S*|\brm -rf|\bdd if=|\bclean all\b|cipher /w|\bsgdisk\b|remove-partition|clear-disk";
    ERASE_OBJECT = r"^(?:formatt\w*|format|wipe\w*|erase\w*|pialla\w*|inizializz\w*|azzer\w*|sovrascriv\w*)\b.{0,40}(?:\bdisc?[ok]\b|hard|\bssd\b|\bhdd\b|partizion|unita|chiavetta|\busb\b|scheda|memoria|\bsd\b|\b[a-z]:|\bpc\b|computer|portatile|telefono|smartphone|cellulare|tablet|iphone|ipad|\bmac\b|windows|dispositivo|volume|drive|sistema|tutto)",
        r"|^(?:cancell|elimin|rimuov)\w*\b.{0,25}(?:partizion|tutti i dati|ogni dato|l'intero disco|intero contenuto|tutto il (?:disco|contenuto)|contenuto e impostazioni|\btutto\b|il volume|i volumi)",
        r"|^(?:ripristin|reimpost|resett|reset|factory)\w*\b.{0,50}(?:fabbrica|factory|iniziali|predefinit\w* del (?:telefono|tablet|pc|computer)|dati di fabbrica|rimuov\w* tutto)",
        r"|^(?:reset|resett|reimpost|ripristin)\w* (?:il|questo|del|di questo) (?:pc|computer|telefono|tablet|iphone|dispositivo)\b|^factory reset|^reinstall\w* (?:\w+ ){0,2}(?:windows|macos|il sistema operativo|da zero)|^installazione pulita|^diskpart\b.{0,60}\bclean|^mkfs|^rm -rf|^dd if=|^clean all|^cipher|^sgdisk|^remove-partition|^clear-disk";
    NOT_THE_DISK = r"router|modem|stampante|browser|chrome|\bedge\b|firefox|safari|cuffie|auricolari|ripetitore|access point|televis|\btv\b|decoder|impostazioni di rete|impostazioni (?:predefinite )?(?:del|della|dell')\s?(?:app|audio|rete|tastiera|browser)|mantieni i (?:miei )?file|conserva\w* i (?:miei |tuoi )?file|senza perdere|keep my files|sopra a quell|in-place|barra|cronologia|cache|cookie|file temporanei";
    BACKUP = r"\bback-?\s?up|copia di (?:sicurezza|riserva)|\bsalva\w*\b.{0,50}(?:file|dati|foto|documenti|copia|contatti)|\bcopi(?:a|are|ati|alo|ali|arli)\b.{0,80}(?:file|dati|foto|documenti|contatti|chiavetta|disco esterno|altrove)|(?:metti|mettere) al sicuro.{0,40}(?:file|dati|foto|documenti)|fai una copia|fare una copia|fanne una copia";
    NO_BACKUP = r"(?:senza|niente|nessun\w*|non (?:serve|servono|occorre|fare|perdere tempo con|ti serve|c'e bisogno di))\s+(?:\w+\s+){0,2}(?:back-?\s?up|copi[ae])";
    PROTECTION = r"\b(?:disattiv|disabilit|spegn|speng|toglie|togli\b|rimuov|disinstall|elimin|ferm|interromp|arrest|blocc|turn off|disable|uninstall|stop)\w*\b.{0,50}?(?:\bantivirus|\bdefender|\bfirewall|protezione (?:in tempo reale|da|dai|antimanomissione|del|antivirus|di)|le protezioni|smartscreen|gatekeeper|play protect|\buac\b|controllo (?:dell')?\s?account utente|windows update|gli aggiornamenti|aggiornamenti (?:automatici|di sicurezza)|sicurezza di windows|secure boot|avvio (?:protetto|sicuro)|bitlocker|verifica in due passaggi|autenticazione a due fattori|blocco (?:dello )?schermo|xprotect|real-?time protection)",
        r"|disablerealtimemonitoring|advfirewall set \w+ state off|spctl --master-disable|csrutil disable|set-mppreference -disable";
    BACK_ON = r"riattiv|riabilit|riaccend|rimett|riprist|reinstall|riavvi\w* (?:il servizio|windows update)|net start|torna\w* ad? (?:attiv|acc)|attiv\w* di nuovo|accend\w* di nuovo|turn (?:it )?(?:back )?on|state on|un altro antivirus|altro antivirus|uno dei due|secondo antivirus|doppio antivirus|antivirus scadut|in prova|di prova|defender (?:si|resta|rimane|torna|ti)";
    FOR_A_WHILE = r"temporane|per (?:qualche|pochi|alcuni|un|cinque|dieci|\d+) (?:minut|moment|attim|istant|or[ae])|momentane|per la durata|solo per (?:la prova|il tempo)";
    CALL_VERB = r"\b(?:chiam|telefon|compon|contatt|richiam|messaggi|whatsapp|call\b|phone\b)\w*";
    SHOWN_NUMBER = r"numero.{0,30}(?:che (?:appare|compare|vedi|trovi|leggi|ti)|mostrat|indicat|riportat|scritt|visualizzat|presente).{0,40}(?:scherm|finestra|pop-?\s?up|avviso|messaggio|pagina|notifica|\bsms\b|banner)|numero (?:verde )?(?:del|nel|sul|dell|nell|sull|di)\w*['\s]*(?:\w+ )?(?:pop-?\s?up|avviso|finestra|scherm\w*|messaggio|sms|banner|notifica)|number (?:on|shown|displayed)|numero (?:che (?:appare|compare|lampeggia)|mostrato)\b";
    SECRET_VERB = r"\b(?:comunic|invi|mand|fornisc|forni|dett|condivid|riferisc|riferi|rivel|spedisc|trasmett|consegn|share|send|give)\w*|\bda(?:i|gli|gliel[oai]|re|rgli|lle)?\b|\bdia\b|\bpassa(?:gli|le|re)?\b";
    SECRET = r"\bpassword|\bpin\b|\botp\b|\bcodic[ei] (?:di (?:verifica|sicurezza|conferma|accesso|sblocco|recupero|autenticazione|\d)|otp|sms|segret|ricevut|che (?:ti|hai|ricevi|arriva|appare|vedi|compare)|a \d|temporane|whatsapp|anydesk|teamviewer|dell'sms|via sms)|\bcvv|\bcvc\b|credenziali|numero (?:di|della) (?:tua )?carta|dati (?:della|di) (?:tua )?carta|coordinate bancarie|dati bancari|frase di recupero|seed phrase|chiave di (?:ripristino|recupero)|\bid (?:di )?(?:anydesk|teamviewer)|verification code";
    WEAK_SECRET_VERB = r"\b(?:scriv|inserisc|digit|conferm|legg|rispond|riport|indic)\w*";
    RECIPIENT = r"(?:all'|al |alla |allo |ai |agli |con l'|con il |con la |to the )\s?(?:\w+ )?(?:operator|tecnic|assistenz|support|addett|consulent|persona al|chi (?:ti )?(?:chiam|scriv|telefon)|agente|microsoft)|in chat\b|al telefono\b|(?:via|per|tramite) (?:e-?mail|mail|sms|whatsapp|telefono|telegram|messaggio)";
    HARMLESS_SECRET = r"wi-?\s?fi|della rete|reimpost|recuper\w* (?:la )?password|cambi|modific|\blink\b|richiest|gestore (?:di|delle) password|dimenticat|nuova password";
    REMOTE = r"\b(?:install|scaric|apr|avvi|lanci|usa|usare|esegu|download|open|run)\w*\b(?P<between>.{0,30}?)(?:anydesk|any desk|teamviewer|team viewer|ultraviewer|supremo|rustdesk|ammyy|logmein|screenconnect|zoho assist|assistenza rapida|quick assist|alpemix|iperius remote|connectwise|splashtop)",
        r"|\b(?:consent|permett|accett|concedi|conceder|autorizz|da(?:i|gli|re)?\b)\w*\b.{0,25}(?:accesso remoto|controllo remoto|da remoto|l'accesso al (?:tuo )?(?:pc|computer|telefono)|il controllo del)";
    DOWNLOAD_VERB = r"\b(?:scaric|download|install|esegu|lanci|preleva|apr|visita|vai|clicc|tocc|run)\w*";
    FETCH_VERB = r"\b(?:scaric|download|install|esegu|lanci|preleva|run)\w*";
    BAD_SOURCE = r"\bd(?:a|ai|al|agli) (?:un|qualsiasi|qualunque|quest[oi]|quel|quei|altri|uno dei|primi?|link|torrent)\b.{0,25}(?:sit[oi]|link|forum|torrent|mirror|risultat\w*|pagina|pop-?\s?up)|\bdal (?:link|primo risultato|primo sito|pop-?\s?up|forum|sito (?:che|indicato|mostrato|qui|sconosciut|non ufficial))|\b(?:crack|keygen|torrent|warez|kmspico|kms auto|kmsauto|attivatore|driver (?:updater|booster|easy)|driverpack|registry cleaner|pc cleaner|reimage|restoro|advanced systemcare)\w*\b";
    DLL = r"\bdll\b";
    GOOD_SOURCE = r"ufficial|produttore|microsoft store|app store|google play|play store|sito (?:di|della|dell')\s?(?:microsoft|hp|canon|epson|brother|apple|google|lenovo|dell|asus|acer|intel|amd|nvidia)|visual c\+\+|windows update|official";
    RAW_COMMAND = r"(?:\biwr\b|\birm\b|\bcurl\b|\bwget\b|invoke-webrequest|invoke-restmethod|downloadstring).*(?:\|\s*(?:iex|sh|bash|zsh|powershell|sudo)|\biex\b|invoke-expression)|\biex\s*\(|\bmshta\b|powershell(?:\.exe)?\s+-(?:e|enc|encodedcommand|w|windowstyle|ep|nop)\b|certutil\b.*urlcache|bitsadmin\b.*transfer|regsvr32\b.*http";
    PASTE_AND_RUN = r"(?:win\w*\s?\+\s?r|esegui|terminale|powershell|prompt dei comandi).{0,60}(?:incoll\w*|ctrl\s?\+\s?v)\b.{0,40}(?:invio|enter|esegu)";
    PAY = r"\b(?:pag|vers|acquist|compr|invi|mand|bonific|ricaric|fai|fare|buy|pay|send)\w*\b.{0,40}(?:gift ?card|cart[ae] regalo|buon[oi] regalo|bitcoin|criptovalut|riscatto|postepay|western union|moneygram|google play card|carta steam|ransom)|\b(?:pag|vers)\w*\b.{0,40}(?:per sbloccar|al tecnico|all'operatore|a chi ti ha chiamato)";
    FORBIDDEN = r"\b(?:non|mai|evita\w*|senza|nessun\w*|never|don't|do not|invece di|anziche|prima di|rifiut\w*|diffid\w*|attent\w* a chi|attenzione a chi|ne)\b";
    REPORTED = r"\b(?:chied\w*|chiest\w*|invit\w*|propon\w*|pretend\w*|vuole|vogliono|dice|dicono|diceva\w*|detto|fa credere|promett\w*|minacc\w*|costring\w*|convinc\w*|ordina\w*|cerca di|cercano di|tenta\w*)\b";
    HYPOTHETICAL = r"\bse (?:non )?(?:hai|avevi|lo|la|li|un|il|qualcuno|invece)?\b|potrebbe|potresti|\bpuo\b|rischi|\bperd|ultima|ultimo|solo (?:se|dopo)|comport|signific|richied|serve a|andr";
    BUTTON = r"\b(?:tocca|premi|clicca|scegli|seleziona|pulsante|voce|su|opzione|sezione)\s+$";
    STARTS_AN_ORDER = r"(?:^|[,;:(]|\b(?:poi|quindi|e|ed|o|ora|adesso|infine|subito|pure|tu|prego|favore|devi|puoi|deve|dovrai|dovresti|bisogna|occorre|necessario|basta|di|a|per|allora|dopo|anche)\b)\s*$";
    FRAUD = r"(?:pop-?\s?up|finestra|schermata|avviso|messaggio|pagina)\b.{0,80}(?:chiam|telefon|numero)|(?:numero|chiamare).{0,60}(?:microsoft|apple|windows)\b|(?:chiamat|telefonat|contattat)\w*.{0,60}(?:microsoft|apple|banca|tecnic|poste|assistenza|supporto)|anydesk|teamviewer|ultraviewer|gift ?card|cart[ae] regalo|bitcoin|riscatto|conto (?:bloccat|sospes|corrente)|(?:bloccat|sospes)\w* .{0,25}(?:conto|carta)|pagare .{0,40}(?:sbloccar|virus|tecnico|microsoft)|controllo (?:remoto|del (?:mio )?(?:pc|computer))|dat[oi] .{0,30}(?:password|codice|carta|pin)\b|phishing|truff|raggir|pacco .{0,40}(?:paga|link|dogana)|sms .{0,40}(?:link|banca|poste|pacco)|(?:virus|trojan|infett)\w*.{0,60}(?:chiam|numero|telefon)|click here to|call (?:now|support|microsoft)|toll.?free";
}

/// Whether a question, folded to plain text, sounds like a fraud under way.
pub(super) fn sounds_like_fraud(question: &str) -> bool {
    FRAUD.is_match(question)
}

/// The first danger in a text.
pub(super) fn in_text(text: &str, course: &Course<'_>, prose: Prose) -> Option<Danger> {
    let mut course = *course;
    let whole = plain(text);
    for (sentence, rest) in sentences(text) {
        if let Some(danger) = in_sentence(sentence, &whole, rest, &course, prose) {
            return Some(danger);
        }
        course.backup_made |= makes_a_backup(sentence);
    }
    // A command may be cut by what looks like the end of a sentence.
    unless_forbidden(&RAW_COMMAND, &whole).then_some(Danger::Download)
}

/// The text without its dangerous sentences; what they would have done is added to `found`.
pub(super) fn without_dangerous_sentences(text: &str, course: &Course<'_>, found: &mut Vec<Danger>) -> String {
    let whole = plain(text);
    let mut clean = String::with_capacity(text.len());
    for (sentence, rest) in sentences(text) {
        match in_sentence(sentence, &whole, rest, course, Prose::Explanation) {
            Some(danger) => found.push(danger),
            None => clean.push_str(sentence),
        }
    }
    if found.is_empty() { text.to_owned() } else { clean.trim().to_owned() }
}

/// Whether a text tells to make a copy of what is dear.
pub(super) fn makes_a_backup(text: &str) -> bool {
    let text = plain(text);
    BACKUP.is_match(&text) && !NO_BACKUP.is_match(&text)
}

/// Whether a step switches a protection off for a while and nothing after it says to switch it on again.
pub(super) fn leaves_protection_off(text: &str, later: &str) -> bool {
    let text = plain(text);
    ordered(&PROTECTION, &text)
        && FOR_A_WHILE.is_match(&text)
        && !BACK_ON.is_match(&text)
        && !BACK_ON.is_match(&plain(later))
}

fn in_sentence(sentence: &str, step: &str, rest: &str, course: &Course<'_>, prose: Prose) -> Option<Danger> {
    let text = plain(sentence);
    let text = text.trim();
    let hypothetical = prose == Prose::Explanation && HYPOTHETICAL.is_match(text);
    if unless_forbidden(&RAW_COMMAND, text) || unless_forbidden(&PASTE_AND_RUN, text) {
        return Some(Danger::Download);
    }
    if !hypothetical && !course.backup_made && erases(text) {
        return Some(Danger::Erase);
    }
    if !hypothetical && ordered(&PROTECTION, text) {
        let later = format!("{step} {} {}", plain(rest), plain(course.later));
        if !FOR_A_WHILE.is_match(text) && !BACK_ON.is_match(&later) {
            return Some(Danger::Unprotect);
        }
    }
    let strange_phone = text.contains("[telefono-") || course.contacts.has_strange_phone(sentence);
    if (strange_phone || SHOWN_NUMBER.is_match(text)) && ordered(&CALL_VERB, text) {
        return Some(Danger::Contact);
    }
    if hands_out_a_secret(text) {
        return Some(Danger::Secret);
    }
    if REMOTE.captures_iter(text).any(|found| {
        let between = found.name("between").map_or("", |between| between.as_str());
        !between.contains("disinstall")
            && found.get(0).is_some_and(|whole| is_order(text, whole.start(), whole.as_str()))
    }) {
        return Some(Danger::RemoteControl);
    }
    let fetched = ordered(&FETCH_VERB, text);
    let unknown =
        (BAD_SOURCE.is_match(text) || DLL.is_match(text) && text.contains("scaric")) && !GOOD_SOURCE.is_match(text);
    if fetched && unknown || ordered(&DOWNLOAD_VERB, text) && course.contacts.has_strange_link(sentence) {
        return Some(Danger::Download);
    }
    ordered(&PAY, text).then_some(Danger::Pay)
}

fn erases(text: &str) -> bool {
    ERASE_VERB.find_iter(text).any(|verb| {
        let from_verb = text.get(verb.start()..).unwrap_or_default();
        let before = text.get(..verb.start()).unwrap_or_default();
        // 'Formatta il disco, ma prima fai un backup' and 'dopo aver fatto il backup' make the copy first.
        let copy_first = makes_a_backup(before)
            || (makes_a_backup(text)
                && (text.contains("prima")
                    || text.contains("dopo aver")
                    || text.contains("dopo il")
                    || text.contains("dopo un")));
        ERASE_OBJECT.is_match(from_verb)
            && !NOT_THE_DISK.is_match(text)
            && !copy_first
            && !text.contains("disinstall")
            && is_order(text, verb.start(), verb.as_str())
    })
}

fn hands_out_a_secret(text: &str) -> bool {
    let strong = SECRET_VERB.find_iter(text).any(|verb| {
        let after: String = text.get(verb.end()..).unwrap_or_default().chars().take(70).collect();
        let before = text.get(..verb.start()).unwrap_or_default();
        let with_pronoun = ["lo", "la", "li", "le", "gli", "glielo", "gliela", "glieli"]
            .iter()
            .any(|ending| verb.as_str().len() > ending.len() + 2 && verb.as_str().ends_with(ending));
        let object = SECRET.find(&after).is_some_and(|secret| {
            let until = after.get(..secret.end()).unwrap_or_default();
            !HARMLESS_SECRET.is_match(until) && !HARMLESS_SECRET.is_match(after.get(secret.end()..).unwrap_or_default())
        });
        // 'La password comunicala al tecnico': the pronoun stands for what was named before.
        let named_before = with_pronoun && SECRET.is_match(before);
        let commanded = STARTS_AN_ORDER.is_match(before) || with_pronoun;
        (object || named_before) && commanded && is_order(text, verb.start(), verb.as_str())
    });
    let weak = || {
        SECRET.is_match(text)
            && RECIPIENT.is_match(text)
            && ordered(&WEAK_SECRET_VERB, text)
            && !HARMLESS_SECRET.is_match(text)
    };
    strong || weak()
}

/// Whether the text orders what the pattern finds.
fn ordered(what: &Regex, text: &str) -> bool {
    what.find_iter(text).any(|found| is_order(text, found.start(), found.as_str()))
}

/// Whether the text holds what the pattern finds without forbidding it: for what needs no verb to do harm.
fn unless_forbidden(what: &Regex, text: &str) -> bool {
    what.find_iter(text).any(|found| {
        let before = text.get(..found.start()).unwrap_or_default();
        !FORBIDDEN.is_match(before.rsplit([',', ';', ':', '.']).next().unwrap_or_default())
    })
}

/// Whether a verb at a place is an order. Italian forbids with the infinitive ('non chiamare'), so for an
/// imperative a 'non' counts only within its own clause.
fn is_order(text: &str, at: usize, found: &str) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let verb = found.split(|character: char| !character.is_alphanumeric()).next().unwrap_or_default();
    let infinitive = ["are", "ere", "ire", "arlo", "arla", "erlo", "erla", "irlo", "irla", "arli", "arle", "rgli"]
        .iter()
        .any(|ending| verb.ends_with(ending));
    let clause = before.rsplit([',', ';', ':', '>', '"', '(']).next().unwrap_or_default();
    let clause = if infinitive {
        // 'Non aprire, scaricare o eseguire niente': a list of infinitives keeps its 'non'.
        if before.trim_end().ends_with(',') { before } else { clause }
    } else {
        [" e ", " ed ", " poi ", " quindi ", " ma ", " e' "]
            .iter()
            .fold(clause, |rest, joint| rest.rsplit(joint).next().unwrap_or_default())
    };
    // 'Se hai installato' tells what was done; 'va formattato' orders it.
    let done = ["ato", "ata", "ati", "uto", "ito"].iter().any(|ending| verb.ends_with(ending))
        && !["va ", "vanno ", "essere ", "venga "].iter().any(|passive| before.ends_with(passive));
    let quoted_button = before.ends_with(['"', '\'']) && before.trim_end_matches(['"', '\'']).ends_with(' ');
    let reported = infinitive && REPORTED.is_match(clause);
    !FORBIDDEN.is_match(clause) && !reported && !done && !BUTTON.is_match(before) && !quoted_button
}

/// The sentences of a text, each with its closing mark and space, and what follows it. Joined they are the text.
fn sentences(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .char_indices()
            .zip(rest.chars().skip(1).map(Some).chain([None]))
            .find(|((_, mark), next)| {
                matches!(mark, '.' | '!' | '?' | ';' | '\n') && next.is_none_or(char::is_whitespace)
            })
            .map_or(rest.len(), |((at, mark), next)| at + mark.len_utf8() + next.map_or(0, char::len_utf8));
        let (sentence, remainder) = rest.split_at(end);
        rest = remainder;
        Some((sentence, remainder))
    })
}
