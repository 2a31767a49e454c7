//! Makes the frontend folder exist and watches it, so that a new build of it is embedded.

fn main() {
    // Embedding needs the folder, and a clone without Node has none.
    let _ = std::fs::create_dir_all("frontend/dist");
    println!("cargo:rerun-if-changed=frontend/dist");
    println!("cargo:rerun-if-changed=build.rs");
}
