/// A picture: 8 bits each of red, green, blue (sRGB), rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

/// Why a picture cannot become a PNG file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// A side of no or too many pixels.
    #[error("a picture of {width} by {height} pixels cannot be a png file")]
    Size {
        /// Width in pixels.
        width: usize,
        /// Height in pixels.
        height: usize,
    },
    /// The encoder failed.
    #[error("the png encoder failed")]
    Encoder(#[from] png::EncodingError),
}

impl Image {
    /// A black picture.
    pub fn new(width: usize, height: usize) -> Self {
        Self { width, height, rgb: vec![0; width * height * 3] }
    }

    /// Width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// `width × height × 3` bytes, row after row.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    pub(crate) fn rgb_mut(&mut self) -> &mut [u8] {
        &mut self.rgb
    }

    /// The colour of a pixel; `None` outside the picture.
    pub fn pixel(&self, x: usize, y: usize) -> Option<[u8; 3]> {
        let start = (x < self.width && y < self.height).then(|| (y * self.width + x) * 3)?;
        self.rgb.get(start..start + 3).map(|p| [p[0], p[1], p[2]])
    }

    /// Sets a pixel; outside the picture nothing happens.
    pub fn set_pixel(&mut self, x: usize, y: usize, color: [u8; 3]) {
        if x < self.width && y < self.height {
            let start = (y * self.width + x) * 3;
            self.rgb[start..start + 3].copy_from_slice(&color);
        }
    }

    /// Several pictures of one height side by side.
    pub fn beside(images: &[Self]) -> Self {
        let height = images.iter().map(|image| image.height).max().unwrap_or(0);
        let mut all = Self::new(images.iter().map(|image| image.width).sum(), height);
        let mut left = 0;
        for image in images {
            for y in 0..image.height {
                for x in 0..image.width {
                    all.set_pixel(left + x, y, image.pixel(x, y).unwrap_or_default());
                }
            }
            left += image.width;
        }
        all
    }

    /// The picture as the bytes of a PNG file.
    ///
    /// # Errors
    /// [`PngError`]: no pixels, more than a PNG file can hold, or a failing encoder.
    pub fn to_png(&self) -> Result<Vec<u8>, PngError> {
        let size = || PngError::Size { width: self.width, height: self.height };
        let side = |pixels: usize| u32::try_from(pixels).ok().filter(|&p| p > 0 && p <= i32::MAX as u32);
        let (width, height) = (side(self.width).ok_or_else(size)?, side(self.height).ok_or_else(size)?);
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.set_compression(png::Compression::Balanced);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        writer.finish()?;
        Ok(bytes)
    }
}

/// The 8-bit sRGB value of a linear one.
pub(crate) fn srgb(linear: f32) -> u8 {
    let linear = if linear.is_nan() { 0.0 } else { linear.clamp(0.0, 1.0) };
    let encoded = if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    (encoded * 255.0 + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_holds_the_same_pixels() {
        let mut image = Image::new(3, 2);
        image.set_pixel(2, 1, [10, 20, 30]);
        image.set_pixel(3, 0, [1, 1, 1]);
        let bytes = image.to_png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (3, 2));
        assert_eq!(&pixels[..info.buffer_size()], image.rgb());
        assert!(matches!(Image::new(0, 5).to_png(), Err(PngError::Size { .. })));
    }

    #[test]
    fn srgb_meets_known_values() {
        assert_eq!([0.0, 1.0, 0.214_041_14, -1.0, f32::NAN].map(srgb), [0, 255, 128, 0, 0]);
    }

    #[test]
    fn pictures_stand_side_by_side() {
        let (mut a, mut b) = (Image::new(1, 1), Image::new(2, 1));
        a.set_pixel(0, 0, [1, 2, 3]);
        b.set_pixel(1, 0, [4, 5, 6]);
        assert_eq!(Image::beside(&[a, b]).rgb(), [1, 2, 3, 0, 0, 0, 4, 5, 6]);
    }
}
