using System.Globalization;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;

namespace Millrace.Lab.Tests.Interop;

/// <summary>Every number and layout that the native calls depend on, compared with the headers of the processors they run on.</summary>
public sealed class AbiTests
{
    private const BindingFlags Declared =
        BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    /// <summary>Types about other systems, or that no call uses.</summary>
    private static readonly string[] NotOfLinux = ["ByProcessor", "CachedPages", "FileKind", "FileStatus", "FileTimes", "NamedFile", "Snapshot", "StagedName", "WindowsRename"];

    private static string Folder => Path.Combine(Repository.Root, "tests", "Millrace.Lab.Tests", "Interop");

    [NeedsFact(Need.Linux)]
    public void Every_number_and_layout_is_in_the_list()
    {
        string[] listed = [.. Listed().Select(static line => line.Name)];
        string[] unknown = [.. Listed().Where(static line => line.C == "-").Select(static line => line.Name)];
        string[] declared = [.. Types().SelectMany(static type => NamesOf(type)).Distinct()];

        Assert.Equal(listed.Distinct(), listed);
        Assert.DoesNotContain(declared.Except(listed), name => !unknown.Contains(Parent(name)));
        Assert.Empty(listed.Except(declared));
    }

    [NeedsFact(Need.Linux | Need.Compiler)]
    public void Numbers_and_layouts_are_those_of_this_processor() => Check("gcc", RuntimeInformation.ProcessArchitecture);

    [NeedsFact(Need.Linux | Need.Arm64)]
    public void Numbers_and_layouts_are_those_of_arm64() =>
        Check("aarch64-linux-gnu-gcc", Architecture.Arm64, "qemu-aarch64-static");

    private static void Check(string compiler, Architecture processor, params string[] emulator)
    {
        using var folder = new TemporaryFolder();
        var wanted = new List<string>();
        var source = new StringBuilder(File.ReadAllText(Path.Combine(Folder, "abi.c")));
        var types = Types().GroupBy(NameOf).ToDictionary(static group => group.Key, static group => group.First());
        (string Name, string C)[] lines = [.. Listed().Where(static line => line.C != "-")];
        foreach ((string name, string c) in lines)
        {
            string parent = Parent(name);
            if (types.TryGetValue(name, out Type? type))
            {
                bool mayBeLonger = c.EndsWith(" +", StringComparison.Ordinal);
                string size = $"sizeof({c.TrimEnd('+', ' ')})";
                wanted.Add($"{name} {Marshal.SizeOf(type)}");
                _ = source.AppendLine(mayBeLonger ? $"VALUE({name}, {size} <= {Marshal.SizeOf(type)} ? {Marshal.SizeOf(type)} : {size})" : $"VALUE({name}, {size})");
                continue;
            }

            FieldInfo field = types[parent].GetField(name[(parent.Length + 1)..], Declared)!;
            if (field.IsStatic)
            {
                wanted.Add($"{name} {ValueOf(field, processor)}");
                _ = source.AppendLine($"VALUE({name}, {c})");
            }
            else
            {
                string structure = lines.Single(line => line.Name == parent).C.TrimEnd('+', ' ');
                int size = field.FieldType.IsPointer ? nint.Size : Marshal.SizeOf(field.FieldType);
                wanted.Add($"{name} {Marshal.OffsetOf(types[parent], field.Name)} {size}");
                _ = source.AppendLine($"FIELD({name}, {structure}, {c})");
            }
        }

        File.WriteAllText(folder["abi.c"], source.Append("}\n").ToString());
        _ = Shell.Run(compiler, "-static", "-o", folder["abi"], folder["abi.c"]);
        string[] command = [.. emulator, folder["abi"]];
        string[] actual = Shell.Run(command[0], command[1..]).Split('\n', StringSplitOptions.RemoveEmptyEntries);

        Assert.Equal(wanted, actual);
    }

    private static IEnumerable<(string Name, string C)> Listed() =>
        from line in File.ReadLines(Path.Combine(Folder, "abi.list"))
        where !line.StartsWith('#')
        let space = line.IndexOf(' ', StringComparison.Ordinal)
        select (line[..space], line[space..].Trim());

    private static IEnumerable<Type> Types() =>
        from assembly in (string[])["Millrace", "Millrace.Transfer", "Millrace.Kestrel", "Millrace.Transfer.Server", "Millrace.Lab"]
        from type in Assembly.Load(assembly).GetTypes()
        where type.Namespace?.EndsWith(".Interop", StringComparison.Ordinal) == true
            && !type.Name.Contains('<', StringComparison.Ordinal) && !type.IsEnum && !NotOfLinux.Contains(type.Name)
        select type;

    private static IEnumerable<string> NamesOf(Type type) =>
        (type.IsValueType ? [NameOf(type)] : Array.Empty<string>()).Concat(
            from field in type.GetFields(Declared)
            where field.IsStatic ? IsNumber(field) : type.IsValueType
            select $"{NameOf(type)}.{field.Name}");

    private static bool IsNumber(FieldInfo field) =>
        field.FieldType.Name == "ByProcessor"
        || (field.IsLiteral && field.FieldType.IsPrimitive && !field.Name.StartsWith("Windows", StringComparison.Ordinal));

    private static long ValueOf(FieldInfo field, Architecture processor)
    {
        object value = field.IsLiteral ? field.GetRawConstantValue()! : field.GetValue(null)!;
        return value is IConvertible number
            ? number.ToInt64(CultureInfo.InvariantCulture)
            : (int)value.GetType().GetProperty(processor.ToString())!.GetValue(value)!;
    }

    private static string NameOf(Type type) => type.IsNested ? $"{NameOf(type.DeclaringType!)}.{type.Name}" : type.Name;

    private static string Parent(string name) => name.LastIndexOf('.') is var dot and > 0 ? name[..dot] : "";
}
