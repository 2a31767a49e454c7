//! An answer on its way: what an engine wrote, before it is checked, completed and stored.

use crate::handbook::{Guidance, Step};

/// Who wrote an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// A language model: nothing in it is taken on trust.
    Model,
    /// The handbook: written and reviewed by people, checked all the same.
    Handbook,
}

/// What an engine wrote.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// What the question is about, in the person's terms.
    pub problem_analysis: String,
    /// What it is and why it happens.
    pub diagnosis: String,
    /// 0 to 1.
    pub confidence: f64,
    /// What to do, in order.
    pub steps: Vec<Step>,
    /// What else helps; may be empty.
    pub additional_tips: String,
    /// What to beware of, the gravest first.
    pub warnings: Vec<String>,
}

impl From<Guidance> for Draft {
    fn from(guidance: Guidance) -> Self {
        Self {
            problem_analysis: guidance.problem_analysis,
            diagnosis: guidance.diagnosis,
            confidence: guidance.confidence,
            steps: guidance.steps,
            additional_tips: guidance.additional_tips,
            warnings: guidance.warnings,
        }
    }
}

impl Draft {
    /// Changes every text of the draft, in the order in which it is read.
    pub(super) fn rewrite(&mut self, mut change: impl FnMut(&str) -> String) {
        for warning in &mut self.warnings {
            *warning = change(warning);
        }
        self.problem_analysis = change(&self.problem_analysis);
        self.diagnosis = change(&self.diagnosis);
        for step in &mut self.steps {
            step.text = change(&step.text);
        }
        self.additional_tips = change(&self.additional_tips);
    }
}
