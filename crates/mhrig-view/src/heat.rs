use crate::vector::mix;

/// Colour of a value on a scale from 0 to 1, linear RGB: grey for none, then blue, teal, yellow, red. Values beyond
/// the ends take the colour of the end.
pub fn heat_color(value: f32) -> [f32; 3] {
    const STOPS: [(f32, [f32; 3]); 6] = [
        (0.0, [0.32, 0.33, 0.35]),
        (0.04, [0.10, 0.16, 0.52]),
        (0.25, [0.02, 0.38, 0.60]),
        (0.5, [0.10, 0.55, 0.16]),
        (0.75, [0.88, 0.58, 0.04]),
        (1.0, [0.75, 0.03, 0.03]),
    ];
    let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
    for pair in STOPS.windows(2) {
        let [(from, low), (to, high)] = [pair[0], pair[1]];
        if value <= to {
            return mix(low, high, (value - from) / (to - from));
        }
    }
    STOPS[STOPS.len() - 1].1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_continuous_and_closed() {
        let mut before = heat_color(0.0);
        for step in 1..=1000 {
            let color = heat_color(step as f32 / 1000.0);
            assert!(color.iter().zip(before).all(|(a, b)| (a - b).abs() < 0.02), "{step}");
            before = color;
        }
        assert_eq!(heat_color(2.0), heat_color(1.0));
        assert_eq!(heat_color(f32::NAN), heat_color(0.0));
    }
}
