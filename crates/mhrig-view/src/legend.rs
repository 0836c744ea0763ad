use crate::image::srgb;
use crate::{Image, heat_color};

/// Draws the scale of a heat map along the left edge of a picture: from 0 to `max_label`, which may hold digits, a
/// point and the letters `c` and `m`. Other characters are left blank.
pub fn draw_legend(image: &mut Image, max_label: &str) {
    let (width, height) = (image.width(), image.height());
    let zoom = (height / 220).max(1);
    let (left, bar_width) = (width / 40 + 1, (width / 50).max(4));
    let (top, bottom) = (height * 3 / 4, height - height / 40 - 1);
    for y in top..bottom {
        let share = 1.0 - (y - top) as f32 / (bottom - top).max(1) as f32;
        let color = heat_color(share).map(srgb);
        for x in left..left + bar_width {
            image.set_pixel(x, y, color);
        }
    }
    let text_left = left + bar_width + 2 * zoom;
    draw_text(image, text_left, top, zoom, max_label);
    draw_text(image, text_left, bottom.saturating_sub(5 * zoom), zoom, "0");
}

/// Three by five dots per character, a row in each three bits from the top.
fn glyph(character: char) -> u16 {
    match character {
        '0' => 0b111_101_101_101_111,
        '1' => 0b010_110_010_010_111,
        '2' => 0b111_001_111_100_111,
        '3' => 0b111_001_111_001_111,
        '4' => 0b101_101_111_001_001,
        '5' => 0b111_100_111_001_111,
        '6' => 0b111_100_111_101_111,
        '7' => 0b111_001_010_010_010,
        '8' => 0b111_101_111_101_111,
        '9' => 0b111_101_111_001_111,
        '.' => 0b000_000_000_000_010,
        'c' => 0b000_000_111_100_111,
        'm' => 0b000_000_111_111_101,
        _ => 0,
    }
}

fn draw_text(image: &mut Image, left: usize, top: usize, zoom: usize, text: &str) {
    for (position, character) in text.chars().enumerate() {
        let dots = glyph(character);
        for dot in (0..15).filter(|dot| dots >> (14 - dot) & 1 == 1) {
            let (x, y) = (left + (position * 4 + dot % 3) * zoom, top + dot / 3 * zoom);
            for dy in 0..zoom {
                for dx in 0..zoom {
                    image.set_pixel(x + dx, y + dy, [20, 20, 24]);
                }
            }
        }
    }
}
