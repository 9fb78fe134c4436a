extension Person {
  /// The first twelve people of the demo, told apart by hair, clothes and background from across the room.
  public static let cast: [Person] = [
    Person(
      name: "Ada",
      appearance: PersonAppearance(
        skin: 0xf6_cf_ae, hair: .bob, hairColour: 0x9c_3f_1d, eyeColour: 0x3f_7f_4a, lipColour: 0xc2_41_4d,
        garment: .turtleneck, garmentColour: 0x12_8c_8c, trimColour: 0x0c_6a_6c, extras: [.glasses],
        backdrop: .shelf, backdropColour: 0xef_d9_ae, headWidth: 0.97, voice: VoiceCharacter(pitch: 205, tract: 1.12),
        seed: 101)),
    Person(
      name: "Björn",
      appearance: PersonAppearance(
        skin: 0xf4_c6_a2, hair: .sidePart, hairColour: 0xe2_b5_55, eyeColour: 0x3a_78_b8, lipColour: 0xb9_66_58,
        beard: .full, garment: .crewNeck, garmentColour: 0x24_3b_6b, trimColour: 0xd8_e2_f0, backdrop: .window,
        backdropColour: 0xb9_cf_c9, headWidth: 1.05, voice: VoiceCharacter(pitch: 98, tract: 0.94), seed: 202)),
    Person(
      name: "Chidi",
      appearance: PersonAppearance(
        skin: 0x6a_40_29, hair: .short, hairColour: 0x17_12_12, lipColour: 0x8a_44_40, garment: .shirt,
        garmentColour: 0xf0_b4_29, trimColour: 0xff_f3_d8, extras: [.glasses], backdrop: .plant,
        backdropColour: 0x6f_b4_83, voice: VoiceCharacter(pitch: 112, tract: 0.98), seed: 303)),
    Person(
      name: "Dalia",
      appearance: PersonAppearance(
        skin: 0xe0_ac_7e, hair: .scarf, hairColour: 0x7a_3f_a0, eyeColour: 0x4b_31_22, lipColour: 0xb2_45_56,
        garment: .crewNeck, garmentColour: 0x3a_28_55, trimColour: 0xc9_a6_e4, backdrop: .lamp,
        backdropColour: 0xf3_b8_b4, headWidth: 0.96, voice: VoiceCharacter(pitch: 218, tract: 1.15), seed: 404)),
    Person(
      name: "Emre",
      appearance: PersonAppearance(
        skin: 0xd9_a1_76, hair: .flatTop, hairColour: 0x2b_1d_16, lipColour: 0xa8_55_4a, beard: .moustache,
        garment: .hoodie, garmentColour: 0xc8_32_3a, trimColour: 0xf2_ee_e8, backdrop: .picture,
        backdropColour: 0x7f_9f_c2, headWidth: 1.03, voice: VoiceCharacter(pitch: 121, tract: 1.0), seed: 505)),
    Person(
      name: "Fumiko",
      appearance: PersonAppearance(
        skin: 0xf7_d6_b8, hair: .long, hairColour: 0x1d_1a_24, lipColour: 0xd0_4a_5c, garment: .shirt,
        garmentColour: 0xff_7f_6a, trimColour: 0xff_f4_ea, backdrop: .plain, backdropColour: 0x9e_dc_c4,
        headWidth: 0.97, voice: VoiceCharacter(pitch: 232, tract: 1.18), seed: 606)),
    Person(
      name: "Grace",
      appearance: PersonAppearance(
        skin: 0x8d_57_36, hair: .curls, hairColour: 0x2a_1a_17, lipColour: 0xa8_2f_4f, garment: .crewNeck,
        garmentColour: 0xff_8c_1a, trimColour: 0xff_d2_8a, extras: [.earrings], backdrop: .shelf,
        backdropColour: 0x8d_78_c4, voice: VoiceCharacter(pitch: 190, tract: 1.08), seed: 707)),
    Person(
      name: "Hamid",
      appearance: PersonAppearance(
        skin: 0xcf_95_66, hair: .bald, hairColour: 0x3d_34_30, lipColour: 0xa0_58_4c, beard: .full, garment: .shirt,
        garmentColour: 0x2f_7d_4b, trimColour: 0xe8_f2_e4, extras: [.glasses], backdrop: .lamp,
        backdropColour: 0xd8_c3_9f, headWidth: 1.02, voice: VoiceCharacter(pitch: 90, tract: 0.92), seed: 808)),
    Person(
      name: "Ines",
      appearance: PersonAppearance(
        skin: 0xe8_b6_8c, hair: .bun, hairColour: 0x4a_29_1a, lipColour: 0xc8_3c_4a, garment: .stripes,
        garmentColour: 0xf6_f2_ea, trimColour: 0xc2_2f_3c, extras: [.earrings], backdrop: .window,
        backdropColour: 0x4f_b6_c4, voice: VoiceCharacter(pitch: 212, tract: 1.13), seed: 909)),
    Person(
      name: "Jonas",
      appearance: PersonAppearance(
        skin: 0xfa_d3_b6, hair: .spiky, hairColour: 0xd4_60_1f, eyeColour: 0x4c_8c_6a, lipColour: 0xc0_68_5c,
        garment: .hoodie, garmentColour: 0x6b_77_8c, trimColour: 0xe8_ec_f2, extras: [.headphones, .freckles],
        backdrop: .night, backdropColour: 0x2c_3d_6e, voice: VoiceCharacter(pitch: 128, tract: 1.02), seed: 1010)),
    Person(
      name: "Kofi",
      appearance: PersonAppearance(
        skin: 0x58_34_22, hair: .flatTop, hairColour: 0x12_0e_0e, lipColour: 0x7e_3c_38, garment: .turtleneck,
        garmentColour: 0x2d_6f_d6, trimColour: 0x1f_50_a4, backdrop: .picture, backdropColour: 0xf0_9a_4e,
        headWidth: 1.02, voice: VoiceCharacter(pitch: 104, tract: 0.96), seed: 1111)),
    Person(
      name: "Lena",
      appearance: PersonAppearance(
        skin: 0xfb_da_c2, hair: .ponytail, hairColour: 0xf0_d9_8c, eyeColour: 0x3f_6f_c0, lipColour: 0xd8_4f_6c,
        garment: .stripes, garmentColour: 0x2a_2a_3c, trimColour: 0xf0_62_92, backdrop: .plant,
        backdropColour: 0xc3_b0_e6, headWidth: 0.96, voice: VoiceCharacter(pitch: 225, tract: 1.16), seed: 1212)),
    Person(
      name: "Mateo",
      appearance: PersonAppearance(
        skin: 0xc9_8c_5e, hair: .curls, hairColour: 0x5a_34_1e, lipColour: 0xa4_50_48, beard: .moustache,
        garment: .crewNeck, garmentColour: 0x8a_c9_26, trimColour: 0x5f_93_14, backdrop: .night,
        backdropColour: 0x5b_2c_4f, voice: VoiceCharacter(pitch: 116, tract: 0.99), seed: 1313)),
    Person(
      name: "Noor",
      appearance: PersonAppearance(
        skin: 0xb9_7a_4e, hair: .long, hairColour: 0x24_14_12, lipColour: 0xb0_3a_4e, garment: .turtleneck,
        garmentColour: 0xd8_3a_7c, trimColour: 0xa8_22_5a, extras: [.bindi, .earrings], backdrop: .window,
        backdropColour: 0xf2_d0_6b, voice: VoiceCharacter(pitch: 220, tract: 1.14), seed: 1414)),
  ]
}
