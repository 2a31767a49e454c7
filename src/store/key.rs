//! Keys as bytes that sort as their meaning does: numbers and times big-endian, texts ended by a byte that sorts
//! before any other. bincode's own numbers do not sort, so keys are built here.

use jiff::Timestamp;
use jiff::civil::Date;
use uuid::Uuid;

/// A value that can stand in a key.
pub trait Key: Sized + Send + Sync {
    /// Appends the bytes that sort as the value does.
    fn write(&self, out: &mut Vec<u8>);

    /// Takes the value off the front of the bytes; `None` when they are not one.
    fn read(from: &mut &[u8]) -> Option<Self>;

    /// The bytes of this value alone.
    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }
}

fn take<const LENGTH: usize>(from: &mut &[u8]) -> Option<[u8; LENGTH]> {
    let (head, rest) = from.split_first_chunk::<LENGTH>()?;
    *from = rest;
    Some(*head)
}

impl Key for () {
    fn write(&self, _out: &mut Vec<u8>) {}
    fn read(_from: &mut &[u8]) -> Option<Self> {
        Some(())
    }
}

macro_rules! unsigned {
    ($($number:ty),+) => {$(
        impl Key for $number {
            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_be_bytes());
            }
            fn read(from: &mut &[u8]) -> Option<Self> {
                take(from).map(<$number>::from_be_bytes)
            }
        }
    )+};
}
unsigned!(u8, u16, u32, u64);

impl Key for i64 {
    fn write(&self, out: &mut Vec<u8>) {
        // The sign bit flipped puts the negative numbers first.
        (self.cast_unsigned() ^ (1 << 63)).write(out);
    }
    fn read(from: &mut &[u8]) -> Option<Self> {
        u64::read(from).map(|number| (number ^ (1 << 63)).cast_signed())
    }
}

impl Key for [u8; 32] {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
    fn read(from: &mut &[u8]) -> Option<Self> {
        take(from)
    }
}

impl Key for Uuid {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_bytes());
    }
    fn read(from: &mut &[u8]) -> Option<Self> {
        take(from).map(Uuid::from_bytes)
    }
}

/// A text: its bytes, a zero byte inside written as `00 FF`, the end as `00 00`.
impl Key for String {
    fn write(&self, out: &mut Vec<u8>) {
        for &byte in self.as_bytes() {
            out.push(byte);
            if byte == 0 {
                out.push(0xFF);
            }
        }
        out.extend_from_slice(&[0, 0]);
    }
    fn read(from: &mut &[u8]) -> Option<Self> {
        let mut bytes = Vec::new();
        loop {
            match take::<1>(from)? {
                [0] => match take::<1>(from)? {
                    [0] => return Self::from_utf8(bytes).ok(),
                    [0xFF] => bytes.push(0),
                    _ => return None,
                },
                [byte] => bytes.push(byte),
            }
        }
    }
}

/// An instant, to the microsecond.
impl Key for Timestamp {
    fn write(&self, out: &mut Vec<u8>) {
        self.as_microsecond().write(out);
    }
    fn read(from: &mut &[u8]) -> Option<Self> {
        i64::read(from).and_then(|microseconds| Self::from_microsecond(microseconds).ok())
    }
}

/// A day. The year is never negative here.
impl Key for Date {
    fn write(&self, out: &mut Vec<u8>) {
        u16::try_from(self.year()).unwrap_or(0).write(out);
        out.push(self.month().unsigned_abs());
        out.push(self.day().unsigned_abs());
    }
    fn read(from: &mut &[u8]) -> Option<Self> {
        let year = i16::try_from(u16::read(from)?).ok()?;
        let month = i8::try_from(u8::read(from)?).ok()?;
        let day = i8::try_from(u8::read(from)?).ok()?;
        Self::new(year, month, day).ok()
    }
}

macro_rules! tuples {
    ($($name:ident),+) => {
        impl<$($name: Key),+> Key for ($($name,)+) {
            #[allow(non_snake_case, reason = "the names of the type parameters name the parts")]
            fn write(&self, out: &mut Vec<u8>) {
                let ($($name,)+) = self;
                $($name.write(out);)+
            }
            fn read(from: &mut &[u8]) -> Option<Self> {
                Some(($($name::read(from)?,)+))
            }
        }
    };
}
tuples!(A, B);
tuples!(A, B, C);
tuples!(A, B, C, D);
