"""The papers' own figures, beside which ours stand. Other treebanks of the same languages, unless it is said."""

Scores = tuple[float, float]  # UAS, LAS

# Goldberg & Nivre 2012, CoNLL 2007, by the treebank here that has the language: static, ambiguity, explore.
ORACLES_2012: dict[str, tuple[Scores, Scores, Scores]] = {
    "eu_bdt": ((74.10, 64.42), (74.90, 65.18), (76.10, 66.77)),
    "zh_gsd": ((84.13, 79.75), (83.62, 79.24), (84.65, 80.74)),
    "cs_cltt": ((78.00, 69.49), (78.38, 69.39), (79.54, 71.32)),
    "en_ewt": ((86.24, 84.90), (86.83, 85.56), (88.81, 87.60)),
    "el_gdt": ((79.16, 70.94), (79.48, 71.88), (80.66, 73.83)),
    "hu_szeged": ((77.75, 68.10), (76.17, 66.99), (77.10, 68.23)),
    "tr_imst": ((79.02, 68.80), (78.97, 68.58), (78.84, 68.76)),
}
# The same, trained on the Wall Street Journal, on the genres of the English Web Treebank.
GENRES_2012: dict[str, tuple[Scores, Scores, Scores]] = {
    "answers": ((78.81, 73.60), (79.19, 73.90), (80.21, 74.95)),
    "email": ((79.23, 74.95), (79.56, 75.29), (80.04, 75.85)),
    "newsgroup": ((81.21, 77.15), (81.18, 77.16), (82.08, 78.11)),
    "reviews": ((80.61, 75.87), (80.96, 76.19), (81.81, 77.06)),
    "weblog": ((83.40, 79.66), (83.61, 79.91), (84.72, 81.09)),
}
# Mean gains in LAS over static, English and CoNLL 2007.
MEANS_2012 = {"ambiguity": (0.23, 0.09), "explore": (1.09, 1.51)}

# Goldberg & Nivre 2013, CoNLL 2007, with punctuation: static and dynamic, in the metric of our table (easy-first: UAS).
SYSTEMS_2013: dict[str, dict[str, tuple[float, float]]] = {
    "arc-eager": {
        "hu_szeged": (66.72, 68.41), "zh_gsd": (81.24, 82.23), "el_gdt": (72.44, 73.81), "cs_cltt": (71.08, 72.99),
        "eu_bdt": (65.34, 66.63), "en_ewt": (84.93, 87.69), "tr_imst": (66.59, 67.05),
    },
    "arc-hybrid": {
        "hu_szeged": (66.54, 68.05), "zh_gsd": (80.17, 80.59), "el_gdt": (70.99, 72.07), "cs_cltt": (71.88, 72.15),
        "eu_bdt": (62.84, 63.52), "en_ewt": (84.96, 86.28), "tr_imst": (64.80, 66.12),
    },
    "easy-first": {
        "hu_szeged": (81.27, 81.52), "zh_gsd": (87.01, 87.48), "el_gdt": (81.28, 82.25), "cs_cltt": (82.00, 82.39),
        "eu_bdt": (75.01, 75.87), "en_ewt": (88.57, 89.41), "tr_imst": (78.92, 79.29),
    },
}  # fmt: skip
MEANS_2013 = {"arc-eager": 1.35, "arc-hybrid": 0.79, "easy-first": 0.53}

# Goldberg 2013, universal treebanks, dev sets: of Swedish and Korean the same data as utb2_sv and utb2_ko. UAS, LAS.
PROBABILISTIC_2013: dict[str, dict[str, Scores]] = {
    "utb2_sv": {
        "perceptron, static": (83.21, 79.40),
        "adagrad-rda, static": (83.12, 79.36),
        "perceptron, errors k=1": (84.16, 80.48),
        "perceptron, errors k=0": (84.79, 81.00),
        "adagrad-rda, sampling k=1": (84.56, 80.97),
        "adagrad-rda, sampling k=0": (84.17, 80.54),
        "adagrad-rda, errors k=1": (83.73, 80.03),
        "adagrad-rda, errors k=0": (83.73, 80.05),
    },
    "utb2_ko": {
        "perceptron, static": (79.96, 71.90),
        "adagrad-rda, static": (80.47, 72.15),
        "perceptron, errors k=1": (80.59, 72.66),
        "perceptron, errors k=0": (80.59, 73.06),
        "adagrad-rda, sampling k=1": (80.92, 73.06),
        "adagrad-rda, sampling k=0": (81.17, 73.19),
        "adagrad-rda, errors k=1": (80.42, 71.97),
        "adagrad-rda, errors k=0": (80.94, 72.57),
    },
}
# Parameters that are not zero, in thousands: perceptron and maximum entropy, static and dynamic.
PARAMETERS_2013 = {"utb2_sv": ((912, 304), (1200, 357)), "utb2_ko": ((1900, 725), (2900, 755))}

# Gómez-Rodríguez, Sartorio & Satta 2014, Attardi's system, LAS: static and dynamic.
NONPROJECTIVE_2014 = {
    "eu_bdt": (66.74, 65.59), "cs_cltt": (72.69, 74.44), "el_gdt": (72.26, 74.14), "hu_szeged": (68.90, 68.14),
    "tr_imst": (69.44, 70.32), "nl_lassysmall": (75.69, 77.22), "de_gsd_r12_lc": (86.48, 86.94), "utb2_sv": (82.77, 82.49),
}  # fmt: skip
FOLDS_2014 = {"hu_szeged": (68.42, 67.66), "eu_bdt": (68.20, 67.58), "utb2_sv": (81.93, 82.17)}
MEAN_2014 = 0.73
