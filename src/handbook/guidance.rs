//! The handbook's own answer: from what was seen in a question to a text that a person can follow. It goes from the
//! harmless to the serious, does not repeat what was tried, and says openly how sure it is.

mod fixed;

use fixed::PICTURE_NOT_READ;

use super::article::{Article, Likelihood, Platform, WrittenClass, WrittenStep};
use super::topic::Emergency;
use super::{
    Earlier, Guidance, Handbook, Kind, Question, RecognisedCode, ResponseFormat, Seen, Source, Step, StepClass,
    StepOutcome, Topic,
};

/// Below this nobody knows what the question is about.
const UNSURE: f64 = 0.3;
/// From this on the answer does not say 'may be'.
const SURE: f64 = 0.6;
/// A second family this near to the first is named, too.
const NEAR: f64 = 0.8;
/// Steps of a short answer.
const CONCISE_STEPS: usize = 5;

pub(super) fn compose(handbook: &Handbook, question: &Question, seen: &Seen) -> Guidance {
    match seen.emergency {
        Some(Emergency::Health) => return fixed::health(),
        Some(Emergency::Fire) => return fixed::fire(),
        None => {}
    }
    if seen.topic == Topic::OffTopic {
        return fixed::elsewhere();
    }
    let Some(first) = seen.candidates.first().filter(|first| first.confidence >= UNSURE) else {
        return fixed::nothing_recognised(question, seen);
    };
    let platform = seen.platform;
    let tried = Tried::of(question);
    match handbook.article(&first.family) {
        Some(article) => Composer { handbook, question, seen, tried, platform }.answer(article, first.confidence),
        None => fixed::without_article(&first.family, &first.title, first.confidence, question, seen),
    }
}

/// What was done before in the same session.
#[derive(Debug, Default)]
struct Tried {
    /// Steps that were done or did not help, as they were written.
    over: Vec<String>,
    /// Steps that the person did not find.
    not_found: Vec<String>,
    /// Families that were answered before the present one.
    answers: usize,
}

impl Tried {
    fn of(question: &Question) -> Self {
        let mut tried = Self { answers: question.earlier.len(), ..Self::default() };
        let nothing_helped = says_that_nothing_helped(&question.text);
        for (step, outcome) in question.earlier.iter().flat_map(|earlier: &Earlier| &earlier.steps) {
            match outcome {
                Some(StepOutcome::Done | StepOutcome::Failed) => tried.over.push(step.clone()),
                Some(StepOutcome::NotFound) => tried.not_found.push(step.clone()),
                None if nothing_helped => tried.over.push(step.clone()),
                None => {}
            }
        }
        tried
    }
}

/// Words of a follow-up that mean: I did all of it, and it is as before.
fn says_that_nothing_helped(text: &str) -> bool {
    let text = crate::folding::plain(text);
    [
        "non ha funzionato",
        "non funziona",
        "non e cambiato",
        "come prima",
        "niente da fare",
        "ancora uguale",
        "non va ancora",
        "ho provato tutto",
        "gia provato",
    ]
    .iter()
    .any(|words| text.contains(words))
}

struct Composer<'a> {
    handbook: &'a Handbook,
    question: &'a Question,
    seen: &'a Seen,
    tried: Tried,
    platform: Option<Platform>,
}

impl Composer<'_> {
    fn answer(&self, article: &Article, confidence: f64) -> Guidance {
        let steps = self.steps(article);
        let exhausted = self.tried.answers > 0 && steps.iter().all(|step| step.class == StepClass::Technician);
        let related = article.related.iter().filter_map(|id| self.handbook.article(id));
        let next = related.filter(|next| !self.was_answered(&next.id)).find(|next| !self.steps(next).is_empty());
        match (exhausted, next) {
            (true, Some(next)) => self.next_family(article, next),
            (true, None) => self.nothing_left(article),
            (false, _) => self.written_after(article, confidence, steps),
        }
    }

    fn was_answered(&self, family: &str) -> bool {
        self.question.earlier.iter().any(|earlier| earlier.family.as_deref() == Some(family))
    }

    fn written_after(&self, article: &Article, confidence: f64, mut steps: Vec<Step>) -> Guidance {
        let concise = self.question.format == ResponseFormat::Concise;
        if concise {
            steps.retain(|step| step.class != StepClass::Technician);
            steps.truncate(CONCISE_STEPS);
        }
        Guidance {
            problem_analysis: self.analysis(article, confidence),
            diagnosis: self.diagnosis(article),
            confidence,
            steps,
            additional_tips: if concise { article.verify.clone() } else { tips(article) },
            warnings: article.cautions.clone(),
            family: Some(article.id.clone()),
            sources: vec![source(article)],
        }
    }

    fn analysis(&self, article: &Article, confidence: f64) -> String {
        let mut sentences = Vec::new();
        if self.tried.answers > 0 {
            sentences.push(match self.tried.over.len() {
                0 => "Andiamo avanti da dove eravamo.".to_owned(),
                1 => "Hai già provato un passaggio: non te lo ripeto e vado avanti da lì.".to_owned(),
                count => format!("Hai già provato {count} passaggi: non te li ripeto e vado avanti da lì."),
            });
        }
        if let Some(code) = self.code() {
            sentences.push(match self.seen.codes.first().map(|found| found.kind) {
                Some(Kind::Update) => {
                    format!("L'aggiornamento di Windows si è fermato con il codice {} ({}).", code.code, code.name)
                }
                Some(Kind::Report) => format!(
                    "Il codice {} si chiama {}. Di solito Windows lo scrive in un rapporto senza fermarsi.",
                    code.code, code.name
                ),
                _ => format!("Windows si è fermato con il codice {}, che si chiama {}.", code.code, code.name),
            });
            sentences.push(article.summary.clone());
        } else if confidence >= SURE {
            sentences.push(article.summary.clone());
        } else {
            sentences.push(format!(
                "Da quello che scrivi, credo che il problema sia questo: {}.",
                lower_first(&article.title)
            ));
            sentences.push(article.summary.clone());
        }
        if self.code().is_none()
            && confidence < SURE
            && let Some(second) = self.seen.candidates.get(1).filter(|second| second.confidence >= confidence * NEAR)
        {
            sentences.push(format!("Se invece si tratta di «{}», scrivimelo qui sotto.", second.title));
        }
        if self.question.has_image && self.question.image_text.is_none() {
            sentences.push(PICTURE_NOT_READ.to_owned());
        }
        sentences.join(" ")
    }

    fn code(&self) -> Option<RecognisedCode> {
        self.seen.codes.first().map(|found| self.handbook.codes.describe(*found))
    }

    fn diagnosis(&self, article: &Article) -> String {
        let of = |likelihood: Likelihood| {
            let causes = article.causes.iter().filter(move |cause| cause.likelihood == likelihood);
            causes.map(|cause| cause.text.trim().trim_end_matches('.')).collect::<Vec<_>>()
        };
        let mut sentences = Vec::new();
        let mut say = |before: &str, causes: Vec<&str>| {
            for (place, cause) in causes.into_iter().enumerate() {
                sentences.push(if place == 0 {
                    format!("{before}{}.", lower_first(cause))
                } else {
                    format!("Oppure: {}.", lower_first(cause))
                });
            }
        };
        say("La causa più comune: ", of(Likelihood::Frequent));
        if self.question.format != ResponseFormat::Concise {
            say("A volte: ", of(Likelihood::Possible));
            say("Di rado: ", of(Likelihood::Rare));
        }
        if self.question.format == ResponseFormat::Technical {
            let codes = self.seen.codes.iter().map(|found| self.handbook.codes.describe(*found));
            let codes: Vec<String> = codes.map(|code| format!("{} {}", code.code, code.name)).collect();
            if !codes.is_empty() {
                sentences.push(format!("Codici letti: {}.", codes.join(", ")));
            }
            sentences.push(format!("Scheda del manuale: {}.", article.id));
        }
        sentences.join(" ")
    }

    /// The steps for this device that were not tried; a step that was not found comes with a way to find it.
    fn steps(&self, article: &Article) -> Vec<Step> {
        let platform = self.platform_for(article);
        let mut steps = Vec::new();
        for written in article.steps.iter().filter(|step| fits(step, platform)) {
            let step = written.as_step();
            if self.tried.over.contains(&step.text) {
                continue;
            }
            if self.tried.not_found.contains(&step.text) {
                steps.push(Step { text: how_to_find(&written.text, platform), class: StepClass::Safe });
            }
            steps.push(step);
        }
        steps
    }

    /// The device that the question names, if the article knows it; else the one that most people have.
    fn platform_for(&self, article: &Article) -> Platform {
        let knows =
            |platform: &Platform| article.platforms.contains(platform) || article.platforms.contains(&Platform::Any);
        self.platform
            .filter(knows)
            .or_else(|| Some(Platform::Windows).filter(knows))
            .or_else(|| article.platforms.first().copied())
            .unwrap_or(Platform::Windows)
    }

    fn next_family(&self, article: &Article, next: &Article) -> Guidance {
        let mut guidance = self.written_after(next, UNSURE + 0.1, self.steps(next));
        guidance.problem_analysis = format!(
            "Hai provato tutto quello che serve per «{}» e non è bastato. Allora può essere un'altra cosa: {}. {}",
            article.title,
            lower_first(&next.title),
            next.summary
        );
        guidance.sources.insert(0, source(article));
        guidance
    }

    fn nothing_left(&self, article: &Article) -> Guidance {
        let mut steps = vec![Step {
            text:
                "Scrivi su un foglio che cosa succede, da quando, e che cosa hai già provato. Servirà a chi ti aiuta."
                    .into(),
            class: StepClass::Safe,
        }];
        let for_technician = self.steps(article).into_iter().filter(|step| step.class == StepClass::Technician);
        steps.extend(for_technician);
        steps.push(Step {
            text: "Porta il dispositivo da un tecnico di fiducia, o fallo vedere a una persona esperta che conosci."
                .into(),
            class: StepClass::Technician,
        });
        Guidance {
            problem_analysis: "Hai provato tutto quello che si può fare da soli. Hai fatto un buon lavoro: ora serve qualcuno che guardi \
                               il dispositivo da vicino."
                .into(),
            diagnosis: self.diagnosis(article),
            confidence: SURE,
            steps,
            additional_tips: article.stop.clone(),
            warnings: article.cautions.clone(),
            family: Some(article.id.clone()),
            sources: vec![source(article)],
        }
    }
}

impl WrittenStep {
    /// The step as it is told: a careful one says how to go back.
    fn as_step(&self) -> Step {
        let class = match self.class {
            WrittenClass::Safe => StepClass::Safe,
            WrittenClass::Careful => StepClass::Careful,
            WrittenClass::Technician => StepClass::Technician,
        };
        let text = self.undo.as_deref().map_or_else(|| self.text.clone(), |undo| format!("{} {undo}", self.text));
        Step { text, class }
    }
}

fn fits(step: &WrittenStep, platform: Platform) -> bool {
    step.platform.is_none_or(|only| only == platform || only == Platform::Any)
}

fn tips(article: &Article) -> String {
    let mut sentences = vec![format!("Come capire che è risolto: {}", lower_first(&article.verify))];
    sentences.extend(article.tips.iter().cloned());
    sentences.push(article.stop.clone());
    sentences.join(" ")
}

fn source(article: &Article) -> Source {
    Source { id: article.id.clone(), title: article.title.clone() }
}

/// A sentence's beginning inside another sentence; a name such as `Windows` or `USB` stays as it is.
fn lower_first(text: &str) -> String {
    const NAMES: &[&str] = &[
        "Windows",
        "Microsoft",
        "Google",
        "Apple",
        "Android",
        "Mac",
        "Linux",
        "Chrome",
        "Safari",
        "Edge",
        "Firefox",
        "Wi",
        "Internet",
        "Office",
        "Word",
        "Excel",
        "Outlook",
        "OneDrive",
        "Bluetooth",
        "BitLocker",
        "Facebook",
        "Instagram",
        "Alexa",
        "Zoom",
        "Netflix",
        "Samsung",
    ];
    let first = text.split(|character: char| !character.is_alphabetic()).next().unwrap_or_default();
    let is_short_form = first.chars().filter(|character| character.is_uppercase()).count() >= 2;
    if is_short_form || NAMES.contains(&first) {
        return text.to_owned();
    }
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |begin| begin.to_lowercase().chain(characters).collect())
}

/// How to come to a place whose way a person did not find: the search of the device.
fn how_to_find(step: &str, platform: Platform) -> String {
    let names = step.split('>').next_back().unwrap_or(step);
    let name = names.split(['.', ',', ':', ';']).next().unwrap_or(names).trim();
    let sought = if step.contains('>') && name.split_whitespace().count() <= 5 {
        format!("«{name}»")
    } else {
        "il nome che cerchi".to_owned()
    };
    match platform {
        Platform::Macos => {
            format!("Se non lo trovi: premi Comando e la barra spaziatrice, scrivi {sought} e premi Invio.")
        }
        Platform::Android => {
            format!(
                "Se non lo trovi: apri Impostazioni, tocca la lente in alto e scrivi {sought}. I nomi cambiano un po' da telefono a telefono."
            )
        }
        Platform::Ios => {
            format!("Se non lo trovi: apri Impostazioni, scorri verso il basso, tocca Cerca in alto e scrivi {sought}.")
        }
        Platform::Linux => format!("Se non lo trovi: apri il menu delle applicazioni e scrivi {sought}."),
        Platform::Windows | Platform::Any => {
            format!("Se non lo trovi: premi il tasto Windows sulla tastiera, scrivi {sought} e premi Invio.")
        }
    }
}

/// The device that a folded text names.
pub(super) fn platform_in(plain_text: &str) -> Option<Platform> {
    const NAMES: [(&str, Platform); 20] = [
        ("iphone", Platform::Ios),
        ("ipad", Platform::Ios),
        ("ios", Platform::Ios),
        ("android", Platform::Android),
        ("samsung galaxy", Platform::Android),
        ("xiaomi", Platform::Android),
        ("huawei", Platform::Android),
        ("oppo", Platform::Android),
        ("macbook", Platform::Macos),
        ("imac", Platform::Macos),
        ("macos", Platform::Macos),
        ("mac", Platform::Macos),
        ("ubuntu", Platform::Linux),
        ("linux", Platform::Linux),
        ("windows", Platform::Windows),
        ("computer", Platform::Windows),
        ("pc", Platform::Windows),
        ("telefono", Platform::Android),
        ("telefonino", Platform::Android),
        ("cellulare", Platform::Android),
    ];
    let is = |name: &str| {
        plain_text.match_indices(name).any(|(at, found)| {
            let before = plain_text[..at].ends_with(char::is_alphanumeric);
            let after = plain_text[at + found.len()..].starts_with(char::is_alphanumeric);
            !before && !after
        })
    };
    NAMES.iter().find(|(name, _)| is(name)).map(|(_, platform)| *platform)
}

/// What people call a platform.
pub(super) const fn platform_name(platform: Platform) -> &'static str {
    match platform {
        Platform::Any => "tutti",
        Platform::Windows => "Windows",
        Platform::Macos => "Mac",
        Platform::Linux => "Linux",
        Platform::Android => "Android",
        Platform::Ios => "iPhone e iPad",
    }
}
