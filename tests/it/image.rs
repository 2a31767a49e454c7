//! Pictures: who may see them, what is taken, what is refused with which words.

use std::io::Cursor;
use std::time::Duration;

use image::{ImageFormat, Rgb, RgbImage};
use reqwest::{Method, Response, StatusCode};

use crate::support::{Resident, Town, assert_refused, json_of};

pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let image = RgbImage::from_fn(width, height, |x, y| Rgb([(x % 251) as u8, (y % 241) as u8, 77]));
    image.write_to(&mut bytes, ImageFormat::Png).expect("a picture can be written");
    bytes.into_inner()
}

async fn upload(who: &Resident, bytes: Vec<u8>, name: &str) -> Response {
    let mut body =
        format!("--limit\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n").into_bytes();
    body.extend_from_slice(&bytes);
    body.extend_from_slice(b"\r\n--limit--\r\n");
    let call =
        who.call(Method::POST, "/api/v1/upload-image").header("content-type", "multipart/form-data; boundary=limit");
    call.body(body).send().await.expect("the server answers")
}

/// The path of a picture that was taken in.
pub(crate) async fn uploaded(who: &Resident, bytes: Vec<u8>) -> String {
    let response = upload(who, bytes, "foto.png").await;
    assert_eq!(response.status(), StatusCode::OK);
    json_of(response).await["path"].as_str().expect("a path").to_owned()
}

#[tokio::test]
async fn a_picture_is_seen_by_its_owner_and_by_nobody_else() {
    let town = Town::start().await;
    let (anna, carla) = (town.sign_in("anna").await, town.sign_in("carla").await);
    let path = uploaded(&anna, png(2000, 1000)).await;
    let seen = anna.get(&path).await;
    assert_eq!(seen.status(), StatusCode::OK);
    assert_eq!(seen.headers()["content-type"], "image/jpeg");
    assert_eq!(seen.headers()["cache-control"], "private, no-store");
    let jpeg = seen.bytes().await.expect("a body");
    let picture = image::load_from_memory(&jpeg).expect("a JPEG");
    assert_eq!((picture.width(), picture.height()), (1568, 784));
    // Not even a superuser sees it.
    assert_refused(carla.get(&path).await, 404, "not_found").await;
    let stranger = town.call(Method::GET, &path).send().await.expect("the server answers");
    assert_refused(stranger, 401, "token_missing").await;
    let theirs = serde_json::json!({ "text": "aiuto", "image_path": path });
    assert_refused(carla.post("/api/v1/solve", &theirs).await, 404, "not_found").await;
}

#[tokio::test]
async fn a_large_picture_is_stored_in_pieces_and_comes_back_whole() {
    let town = Town::start().await;
    let anna = town.sign_in("anna").await;
    let mut seed = 7_u32;
    let noise = RgbImage::from_fn(900, 900, |_, _| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [red, green, blue, _] = seed.to_be_bytes();
        Rgb([red, green, blue])
    });
    let mut bytes = Cursor::new(Vec::new());
    noise.write_to(&mut bytes, ImageFormat::Png).expect("a picture can be written");
    let path = uploaded(&anna, bytes.into_inner()).await;
    let jpeg = anna.get(&path).await.bytes().await.expect("a body");
    assert!(jpeg.len() > 3 * 64 * 1024, "{}", jpeg.len());
    assert!(image::load_from_memory(&jpeg).is_ok());
}

#[tokio::test]
async fn the_content_decides_and_the_refusal_says_what_to_do() {
    let town = Town::start().await;
    let anna = town.sign_in("anna").await;
    let heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heicAAAAAAAA".to_vec();
    let refused = assert_refused(upload(&anna, heic, "foto.jpg").await, 415, "unsupported_image").await;
    let detail = refused["detail"].as_str().expect("a sentence");
    assert!(detail.contains("Impostazioni > Fotocamera > Formati") && detail.contains("Più compatibile"), "{detail}");
    let text = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>".to_vec();
    assert_refused(upload(&anna, text, "foto.png").await, 415, "unsupported_image").await;
    let renamed = upload(&anna, png(4, 4), "documento.pdf").await;
    assert_eq!(renamed.status(), StatusCode::OK);
}

#[tokio::test]
async fn bombs_and_broken_pictures_are_unreadable() {
    let town = Town::start().await;
    let anna = town.sign_in("anna").await;
    let bomb = b"GIF89a\xFF\xFF\xFF\xFF\x80\0\0\0\0\0\xFF\xFF\xFF,\0\0\0\0\xFF\xFF\xFF\xFF\0\x02\x02D\x01\0;".to_vec();
    assert_refused(upload(&anna, bomb, "foto.gif").await, 422, "unreadable_image").await;
    let mut cut = png(300, 300);
    cut.truncate(cut.len() / 2);
    assert_refused(upload(&anna, cut, "foto.png").await, 422, "unreadable_image").await;
}

#[tokio::test]
async fn more_than_ten_megabytes_are_too_large() {
    let town = Town::start().await;
    let anna = town.sign_in("anna").await;
    let mut large = png(8, 8);
    large.resize(10 * 1024 * 1024 + 1, 0);
    assert_refused(upload(&anna, large, "foto.png").await, 413, "too_large").await;
}

#[tokio::test]
async fn who_has_no_plan_uploads_nothing() {
    let town = Town::start().await;
    let bruno = town.sign_in("bruno").await;
    assert_refused(upload(&bruno, png(8, 8), "foto.png").await, 402, "subscription_required").await;
}

#[tokio::test]
async fn after_thirty_days_a_picture_is_gone_and_the_sweep_frees_its_place() {
    let town = Town::start().await;
    let anna = town.sign_in("anna").await;
    let path = uploaded(&anna, png(32, 32)).await;
    town.clock.advance(Duration::from_secs(29 * 86_400));
    let anna = town.sign_in("anna").await;
    assert_eq!(anna.get(&path).await.status(), StatusCode::OK);
    assert_eq!(town.app.assistant.sweep().await.expect("the sweep runs").images, 0);
    town.clock.advance(Duration::from_secs(86_400));
    let anna = town.sign_in("anna").await;
    assert_refused(anna.get(&path).await, 404, "not_found").await;
    assert_eq!(town.app.assistant.sweep().await.expect("the sweep runs").images, 1);
    assert_eq!(town.app.assistant.sweep().await.expect("the sweep runs").images, 0);
}
