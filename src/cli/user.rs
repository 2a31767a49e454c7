//! `rimedio user`: who there is, and what an operator can give and take. The server does the work when one runs;
//! otherwise the command opens the store itself. Nobody sees a difference.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::exit::{Exit, fail};
use super::say;
use crate::app::App;
use crate::billing::Plan;
use crate::clock::Clock;
use crate::config::Config;
use crate::error::{Code, Error, Result};
use crate::http::control::{Order, PersonSummary, RunningServer, carry_out};

/// The arguments of `user`.
#[derive(Debug, Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct User {
    #[command(subcommand)]
    command: Command,
    /// The configuration; each key can also come from the environment (RIMEDIO_SECTION__KEY)
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Reach the server that runs on this data, without a configuration; for a demonstration: ./demo-data
    #[arg(long, global = true, value_name = "DIRECTORY", conflicts_with = "config")]
    data_directory: Option<PathBuf>,
    /// Print JSON instead of words
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Everybody, a line each
    List,
    /// One person
    Show {
        /// The address with which the person signs in
        email: String,
    },
    /// Give complimentary access from now on
    Grant {
        /// The address with which the person signs in
        email: String,
        /// trial, monthly or annual
        plan: Plan,
        /// For how long; as long as the plan's period without it
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=3660))]
        days: Option<u32>,
    },
    /// Let somebody see the numbers of the whole installation
    GrantSuperuser {
        /// The address with which the person signs in
        email: String,
    },
    /// Take that back
    RevokeSuperuser {
        /// The address with which the person signs in
        email: String,
    },
}

impl User {
    pub(super) async fn run(self) -> Exit {
        super::logging::start_with("warn");
        let worker = match self.worker().await {
            Ok(worker) => worker,
            Err(exit) => return exit,
        };
        let result = self.carry_out(&worker).await;
        let closed = match &worker {
            Worker::Server(_) => Exit::Done,
            Worker::Here(app) => super::close_store(&app.store).await,
        };
        match result {
            Ok(()) => closed,
            Err(error) => {
                let exit = if error.code() == Code::NotFound { Exit::NotFound } else { Exit::Failed };
                let cause = error.cause_for_log().map(|cause| format!(" ({cause})")).unwrap_or_default();
                fail(exit, &format!("{}{cause}", error.detail()))
            }
        }
    }

    /// Who does the work.
    async fn worker(&self) -> std::result::Result<Worker, Exit> {
        let unreachable = |error: crate::http_client::ClientError| fail(Exit::Failed, &error.to_string());
        if let Some(directory) = &self.data_directory {
            let running = RunningServer::of(directory).map_err(unreachable)?;
            let none = || fail(Exit::Store, &format!("no server runs on {}", directory.display()));
            return running.map(Worker::Server).ok_or_else(none);
        }
        let config =
            Config::load(self.config.as_deref()).map_err(|error| fail(Exit::Configuration, &error.to_string()))?;
        if let Some(running) = RunningServer::of(&config.store.directory).map_err(unreachable)? {
            return Ok(Worker::Server(running));
        }
        let store = super::open_store(&config.store).await.map_err(|error| fail(Exit::Store, &error.to_string()))?;
        let app = App::on(store, config, Clock::system()).await;
        app.map(|app| Worker::Here(Box::new(app))).map_err(|error| fail(Exit::Failed, &error.to_string()))
    }

    async fn carry_out(&self, worker: &Worker) -> Result<()> {
        let order = match &self.command {
            Command::List => return self.list(worker).await,
            Command::Show { email } => Order::Show { email: email.clone() },
            Command::Grant { email, plan, days } => Order::Grant { email: email.clone(), plan: *plan, days: *days },
            Command::GrantSuperuser { email } => Order::GrantSuperuser { email: email.clone() },
            Command::RevokeSuperuser { email } => Order::RevokeSuperuser { email: email.clone() },
        };
        let answer = worker.carry_out(order).await?;
        for person in &answer.people {
            if self.json { say(&to_json(person)?) } else { describe(person) }
        }
        Ok(())
    }

    async fn list(&self, worker: &Worker) -> Result<()> {
        let mut after = None;
        loop {
            let people = worker.carry_out(Order::List { after }).await?.people;
            let Some(last) = people.last() else { return Ok(()) };
            after = Some(last.id);
            for person in &people {
                if self.json {
                    say(&to_json(person)?);
                } else {
                    let plan = person.plan.map_or("-", Plan::as_str);
                    let mark = if person.is_superuser { "superuser" } else { "" };
                    say(format!("{:<40} {plan:<8} {} {mark}", person.email, person.created_at).trim_end());
                }
            }
        }
    }
}

enum Worker {
    Server(RunningServer),
    Here(Box<App>),
}

impl Worker {
    async fn carry_out(&self, order: Order) -> Result<crate::http::control::Answer> {
        match self {
            Self::Server(server) => server.carry_out(&order).await,
            Self::Here(app) => carry_out(app, order).await,
        }
    }
}

fn to_json(person: &PersonSummary) -> Result<String> {
    serde_json::to_string(person).map_err(Error::internal)
}

fn describe(person: &PersonSummary) {
    say(&format!("address       {}", person.email));
    say(&format!("name          {}", person.full_name));
    say(&format!("account       {}", person.id));
    say(&format!("since         {}", person.created_at));
    say(&format!("superuser     {}", if person.is_superuser { "yes" } else { "no" }));
    say(&format!("terms         {}", person.terms_version.as_deref().unwrap_or("not agreed to")));
    match (person.plan, &person.plan_ends) {
        (Some(plan), Some(ends)) => say(&format!("plan          {plan} until {ends}")),
        _ => say("plan          none"),
    }
}
