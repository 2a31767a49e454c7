//! Sentences about behaviour, in one binary: through real HTTP, on a real store on disk, with the real command line.

mod ask_command;
mod assistant;
mod configuration;
mod convergence;
mod demo;
mod door;
mod fake_model;
mod handbook;
mod house;
mod image;
mod model;
mod money;
mod pages;
mod payment;
mod published;
mod quota;
mod sign_in;
mod sign_in_gates;
mod sign_in_hostile_issuer;
mod sign_in_mock_server;
mod store_contract;
mod store_crash;
mod stripe_stand_in;
mod support;
mod user_command;
