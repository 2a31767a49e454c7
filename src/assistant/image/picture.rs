//! From bytes that anybody may have sent to a picture that can be kept: the type is decided by the content, the
//! size is limited before memory is taken, the picture is turned upright, scaled and written anew. Pure.

use std::io::Cursor;

use fast_image_resize::{IntoImageView as _, ResizeOptions, Resizer};
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageDecoder as _, ImageEncoder as _, ImageFormat, ImageReader, Limits, Rgb, RgbImage};

use crate::error::{Code, Error, Result};

/// The largest file that is looked at.
pub const MAX_BYTES: usize = 10 * 1024 * 1024;

/// The longer side of a stored picture, in pixels: what vision models read without scaling further.
pub const MAX_SIDE: u32 = 1568;

/// The longest side that is decoded, in pixels.
const MAX_DECODED_SIDE: u32 = 12_000;

/// The most memory that decoding may take, in bytes.
const MAX_DECODED_BYTES: u64 = 256 * 1024 * 1024;

/// JPEG's scale of 1 to 100. At 85 the small print of an error message stays readable.
const QUALITY: u8 = 85;

/// What iPhones write, and what to do about it.
const HEIC: &str = "Questa foto è in formato HEIC, che non possiamo aprire. Su iPhone vai in Impostazioni > Fotocamera > \
    Formati e scegli 'Più compatibile', poi rifai la foto. Oppure fai uno screenshot e carica quello.";

/// What anything else gets.
const NOT_A_PICTURE: &str = "Questo file non è un'immagine che possiamo aprire. Usa una foto JPG o PNG: su Android \
    scegli JPG nelle impostazioni della fotocamera. Oppure fai uno screenshot e carica quello.";

/// A picture fit to be kept.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    jpeg: Vec<u8>,
    width: u32,
    height: u32,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Picture({}x{}, {} bytes)", self.width, self.height, self.jpeg.len())
    }
}

impl Picture {
    /// Reads what somebody sent. Takes long and much memory: not for an async thread.
    ///
    /// # Errors
    /// [`Code::TooLarge`] beyond [`MAX_BYTES`], [`Code::UnsupportedImage`] for another type, [`Code::UnreadableImage`]
    /// for a damaged file or one that would unfold beyond all measure.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        if bytes.len() > MAX_BYTES {
            return Err(Code::TooLarge.into());
        }
        let format = format_of(bytes)?;
        if format == ImageFormat::Jpeg && !jpeg_is_whole(bytes) {
            return Err(Error::new(Code::UnreadableImage).because("the JPEG ends before its end marker"));
        }
        let upright = decode(bytes, format).map_err(|error| Error::new(Code::UnreadableImage).because(error))?;
        let flat = on_white(upright);
        let scaled = scaled(flat).map_err(|error| Error::new(Code::UnreadableImage).because(error))?;
        let (width, height) = scaled.dimensions();
        let mut jpeg = Vec::new();
        JpegEncoder::new_with_quality(&mut jpeg, QUALITY)
            .write_image(scaled.as_raw(), width, height, image::ExtendedColorType::Rgb8)
            .map_err(Error::internal)?;
        Ok(Self { jpeg, width, height })
    }

    /// The picture as a JPEG without metadata.
    #[must_use]
    pub fn jpeg(&self) -> &[u8] {
        &self.jpeg
    }

    /// Width and height in pixels.
    #[must_use]
    pub const fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }
}

fn format_of(bytes: &[u8]) -> Result<ImageFormat> {
    match infer::get(bytes).map(|kind| kind.mime_type()) {
        Some("image/jpeg") => Ok(ImageFormat::Jpeg),
        Some("image/png") => Ok(ImageFormat::Png),
        Some("image/gif") => Ok(ImageFormat::Gif),
        Some("image/webp") => Ok(ImageFormat::WebP),
        Some("image/bmp") => Ok(ImageFormat::Bmp),
        Some("image/heif" | "image/heic" | "image/avif") => Err(Error::new(Code::UnsupportedImage).saying(HEIC)),
        _ => Err(Error::new(Code::UnsupportedImage).saying(NOT_A_PICTURE)),
    }
}

/// Whether a JPEG has an end marker behind its first scan. The decoder takes a cut one for whole; entropy-coded data
/// never holds the marker, thumbnails with markers of their own stand before the scan.
fn jpeg_is_whole(bytes: &[u8]) -> bool {
    const START_OF_SCAN: u8 = 0xDA;
    let mut at = 2;
    while let Some([0xFF, marker, high, low]) = bytes.get(at..at + 4) {
        if *marker == START_OF_SCAN {
            let scan = bytes.get(at..).unwrap_or_default();
            return scan.windows(2).any(|pair| pair == [0xFF, 0xD9]);
        }
        at += if *marker == 0xFF { 1 } else { 2 + usize::from(u16::from_be_bytes([*high, *low])) };
    }
    // No scan was found: the decoder will say what is wrong.
    true
}

fn decode(bytes: &[u8], format: ImageFormat) -> image::ImageResult<DynamicImage> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_DECODED_SIDE);
    limits.max_image_height = Some(MAX_DECODED_SIDE);
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits.clone());
    let mut decoder = reader.into_decoder()?;
    let (width, height) = decoder.dimensions();
    limits.check_dimensions(width, height)?;
    limits.reserve(decoder.total_bytes())?;
    let orientation = decoder.orientation()?;
    let mut image = DynamicImage::from_decoder(decoder)?;
    image.apply_orientation(orientation);
    Ok(image)
}

/// JPEG has no transparency; screenshots cut out of windows do.
fn on_white(image: DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.into_rgb8();
    }
    let with_alpha = image.into_rgba8();
    let mut flat = RgbImage::new(with_alpha.width(), with_alpha.height());
    for (to, from) in flat.pixels_mut().zip(with_alpha.pixels()) {
        let [red, green, blue, alpha] = from.0.map(u16::from);
        let over_white = |colour: u16| u8::try_from((colour * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX);
        *to = Rgb([red, green, blue].map(over_white));
    }
    flat
}

fn scaled(image: RgbImage) -> Result<RgbImage, fast_image_resize::ResizeError> {
    let (width, height) = image.dimensions();
    let longer = width.max(height);
    if longer <= MAX_SIDE {
        return Ok(image);
    }
    let shrunk = |side: u32| {
        let exact = u64::from(side) * u64::from(MAX_SIDE) / u64::from(longer);
        u32::try_from(exact).unwrap_or(MAX_SIDE).max(1)
    };
    let source = DynamicImage::ImageRgb8(image);
    let mut target = DynamicImage::ImageRgb8(RgbImage::new(shrunk(width), shrunk(height)));
    debug_assert!(source.pixel_type().is_some(), "three bytes a pixel are a known type");
    Resizer::new().resize(&source, &mut target, &ResizeOptions::new())?;
    Ok(target.into_rgb8())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        let mut image = RgbImage::new(width, height);
        for (x, y, pixel) in image.enumerate_pixels_mut() {
            *pixel = Rgb([u8::try_from(x % 256).unwrap_or(0), u8::try_from(y % 256).unwrap_or(0), 90]);
        }
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, format).expect("a picture can be written");
        bytes.into_inner()
    }

    fn code(bytes: &[u8]) -> Code {
        Picture::read(bytes).expect_err("it is refused").code()
    }

    #[test]
    fn every_type_of_the_product_becomes_a_jpeg() {
        for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::Gif, ImageFormat::WebP, ImageFormat::Bmp] {
            let picture = Picture::read(&encoded(40, 30, format)).expect("a picture of a known type");
            assert_eq!(picture.size(), (40, 30), "{format:?}");
            assert_eq!(infer::get(picture.jpeg()).map(|kind| kind.mime_type()), Some("image/jpeg"));
        }
    }

    #[test]
    fn a_large_picture_is_scaled_and_keeps_its_shape() {
        let picture = Picture::read(&encoded(3200, 400, ImageFormat::Png)).expect("a picture");
        assert_eq!(picture.size(), (1568, 196));
        let thin = Picture::read(&encoded(4000, 1, ImageFormat::Png)).expect("a picture");
        assert_eq!(thin.size(), (1568, 1));
    }

    #[test]
    fn the_content_decides_the_type() {
        assert_eq!(code(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), Code::UnsupportedImage);
        assert_eq!(code(b"%PDF-1.7 not a picture"), Code::UnsupportedImage);
        assert_eq!(code(b""), Code::UnsupportedImage);
        let heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic";
        let refused = Picture::read(heic).expect_err("HEIC is not read");
        assert_eq!(refused.code(), Code::UnsupportedImage);
        assert!(refused.detail().contains("Più compatibile") && refused.detail().contains("screenshot"));
    }

    #[test]
    fn what_is_cut_or_damaged_is_unreadable() {
        for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::Gif, ImageFormat::WebP, ImageFormat::Bmp] {
            let whole = encoded(200, 200, format);
            assert_eq!(code(&whole[..whole.len() / 2]), Code::UnreadableImage, "{format:?}");
        }
    }

    #[test]
    fn a_bomb_is_refused_before_it_unfolds() {
        // A GIF of 35 bytes that says it is 65535 x 65535.
        let mut bomb =
            b"GIF89a\xFF\xFF\xFF\xFF\x80\0\0\0\0\0\xFF\xFF\xFF,\0\0\0\0\xFF\xFF\xFF\xFF\0\x02\x02D\x01\0;".to_vec();
        assert_eq!(code(&bomb), Code::UnreadableImage);
        // A PNG that says it is 20000 x 20000.
        bomb = encoded(16, 16, ImageFormat::Png);
        bomb[16..24].copy_from_slice(&[0, 0, 0x4E, 0x20, 0, 0, 0x4E, 0x20]);
        assert_eq!(code(&bomb), Code::UnreadableImage);
    }

    #[test]
    fn more_than_ten_megabytes_are_not_looked_at() {
        assert_eq!(code(&vec![0; MAX_BYTES + 1]), Code::TooLarge);
    }

    #[test]
    fn a_picture_is_turned_upright_and_loses_its_metadata() {
        let plain = encoded(40, 20, ImageFormat::Jpeg);
        // An Exif segment that says 'rotate by 90 degrees' and holds a maker's name.
        let mut tiff =
            b"MM\0*\0\0\0\x08\0\x02\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\x01\x0F\0\x02\0\0\0\x04ABC\0\0\0\0\0".to_vec();
        let mut segment = b"Exif\0\0".to_vec();
        segment.append(&mut tiff);
        let length = u16::try_from(segment.len() + 2).expect("a short segment").to_be_bytes();
        let mut turned = plain[..2].to_vec();
        turned.extend_from_slice(&[0xFF, 0xE1, length[0], length[1]]);
        turned.extend_from_slice(&segment);
        turned.extend_from_slice(&plain[2..]);
        let picture = Picture::read(&turned).expect("a picture with metadata");
        assert_eq!(picture.size(), (20, 40));
        assert!(!picture.jpeg().windows(4).any(|window| window == b"Exif"));
    }

    #[test]
    fn transparency_becomes_white() {
        let mut bytes = Cursor::new(Vec::new());
        image::RgbaImage::new(8, 8).write_to(&mut bytes, ImageFormat::Png).expect("a picture can be written");
        let picture = Picture::read(&bytes.into_inner()).expect("a picture");
        let decoded = image::load_from_memory(picture.jpeg()).expect("our own JPEG").into_rgb8();
        assert!(decoded.pixels().all(|pixel| pixel.0.iter().all(|colour| *colour > 250)));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(start in 0..5_usize, rest in proptest::collection::vec(proptest::num::u8::ANY, 0..400)) {
            let starts: [&[u8]; 5] = [b"\xFF\xD8\xFF\xE0", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF\0\x01\0\0WEBPVP8 ", b"BM"];
            let mut bytes = starts[start].to_vec();
            bytes.extend_from_slice(&rest);
            let _ = Picture::read(&bytes);
        }
    }
}
